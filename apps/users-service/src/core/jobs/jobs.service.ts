import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { within } from '@fd/envelope';
import { reasonOf } from '@fd/errors';
import { ConfigError } from '@fd/platform';
import { Histogram, Registry } from 'prom-client';
import { EntityManager, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import { deleteSelected } from './delete-selected.js';
import { locked } from './call-kind.js';

const DEFAULT_PERIOD_MS = 1_000;
/** How long shutdown waits for a running round. Another replica continues the rest. */
const DRAIN_MS = 3_000;
const CLEANUP_PERIOD_MS = 300_000;
/** Batches of one clean-up job in a round; the next round deletes the rest. */
const MAX_BATCHES = 200;

/** Work that every replica repeats. A lease, a lock or SKIP LOCKED in the work coordinates replicas. */
interface PollingJob {
  /** Label of the metric. */
  readonly name: string;
  /** Log message when rounds start to fail; names the work that is waiting. */
  readonly waiting: string;
  /** Pause between two rounds, a second by default; asked for before each pause. */
  readonly periodMs?: () => number;
  /** Runs one round; ends early once the signal is aborted, because the service is shutting down. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Deletes rows that are no longer needed, one bounded batch at a time. Replicas may do so at the same time. */
interface CleanupJob {
  readonly name: string;
  /** Returns how many rows this batch deleted; 0 when none is left. */
  readonly deleteBatch: () => Promise<number>;
}

export interface OldRows {
  readonly name: string;
  readonly entity: new () => ObjectLiteral;
  /** Selects them among the rows `t`. A constant age lets the planner know how few rows match. */
  readonly select: (rows: SelectQueryBuilder<ObjectLiteral>) => SelectQueryBuilder<ObjectLiteral>;
  /** The most rows that one statement deletes within the statement timeout, 1,000 by default. */
  readonly batch?: number;
}

/**
 * The background work of the service. Modules declare their jobs in `onModuleInit`; every replica runs them from
 * start to shutdown.
 */
@Injectable()
export class Jobs implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Jobs.name);
  private readonly workers: PollingWorker[] = [];
  private readonly cleanupJobs: CleanupJob[] = [];
  private readonly duration: Histogram<'work' | 'outcome'>;

  constructor(
    registry: Registry,
    private readonly manager: EntityManager,
  ) {
    this.duration = new Histogram({
      name: 'background_round_duration_seconds',
      help: 'Time of a round of background work, by work and outcome: ok, or failed',
      labelNames: ['work', 'outcome'],
      buckets: [0.01, 0.05, 0.25, 1, 5],
      registers: [registry],
    });
    this.poll({
      name: 'clean-up',
      waiting: 'old rows wait to be deleted',
      periodMs: () => CLEANUP_PERIOD_MS,
      run: (signal) => this.runCleanup(signal),
    });
  }

  poll(job: PollingJob): void {
    for (const outcome of ['ok', 'failed']) this.duration.zero({ work: job.name, outcome });
    this.workers.push(new PollingWorker(job, this.logger, this.duration));
  }

  cleanUp(job: CleanupJob): void {
    this.cleanupJobs.push(job);
  }

  deleteOld(...tables: readonly OldRows[]): void {
    for (const rows of tables)
      this.cleanUp({ name: rows.name, deleteBatch: () => deleteBatch(this.manager, rows) });
  }

  /** Called once, by the CoreModule. */
  start(): void {
    for (const worker of this.workers) worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }

  /** Runs every clean-up job until nothing is left. @throws Error that names the jobs that failed, after the others */
  async runCleanup(signal?: AbortSignal): Promise<void> {
    const failed: string[] = [];
    for (const job of this.cleanupJobs) if (!(await this.finish(job, signal))) failed.push(job.name);
    if (failed.length > 0) throw new Error(`not cleaned up: ${failed.join(', ')}`);
  }

  /** Returns whether the job succeeded. */
  private async finish({ name, deleteBatch }: CleanupJob, signal: AbortSignal | undefined): Promise<boolean> {
    let deleted = 0;
    try {
      for (let batch = 0; batch < MAX_BATCHES && !signal?.aborted; batch++) {
        const count = await deleteBatch();
        if (count === 0) break;
        deleted += count;
      }
      return true;
    } catch (error) {
      this.logger.warn({ msg: 'not cleaned up', what: name, reason: reasonOf(error) });
      return false;
    } finally {
      if (deleted > 0) this.logger.log({ msg: 'cleaned up', what: name, deleted });
    }
  }
}

async function deleteBatch(
  manager: EntityManager,
  { entity, select, batch = 1_000 }: OldRows,
): Promise<number> {
  const old = locked(select(manager.createQueryBuilder(entity, 't')));
  return deleteSelected(manager, entity, old.limit(batch).setOnLocked('skip_locked'));
}

/** Repeats one job, never twice at once, until the service shuts down. */
class PollingWorker {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private readonly shutdown = new AbortController();
  private isFailing = false;

  constructor(
    private readonly job: PollingJob,
    private readonly logger: Logger,
    private readonly duration: Histogram<'work' | 'outcome'>,
  ) {}

  start(): void {
    if (this.shutdown.signal.aborted) return;
    const periodMs = this.job.periodMs?.() ?? DEFAULT_PERIOD_MS;
    // jitter, so that replicas that started together do not work together
    this.timer = setTimeout(
      () => {
        this.running = this.round().finally(() => this.start());
      },
      periodMs * (0.75 + Math.random() / 2),
    );
    this.timer.unref();
  }

  async stop(): Promise<void> {
    this.shutdown.abort();
    clearTimeout(this.timer);
    await within(DRAIN_MS, this.running);
  }

  private async round(): Promise<void> {
    const { name, waiting, run } = this.job;
    const end = this.duration.startTimer({ work: name });
    try {
      await run(this.shutdown.signal);
      end({ outcome: 'ok' });
      this.isFailing = false;
    } catch (error) {
      end({ outcome: 'failed' });
      // rethrown: ends the process, which must not continue with these settings
      if (error instanceof ConfigError) throw error;
      if (!this.isFailing) this.logger.warn({ msg: waiting, reason: reasonOf(error) });
      this.isFailing = true;
    }
  }
}
