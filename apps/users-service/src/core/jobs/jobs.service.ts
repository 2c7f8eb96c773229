import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Histogram, Registry } from 'prom-client';
import { type PollingJob, PollingWorker, reasonOf } from './polling-worker.js';

const CLEANUP_PERIOD_MS = 300_000;
/** Batches of one clean-up job in a round; the next round deletes the rest. */
const MAX_BATCHES = 200;

/** Deletes rows that are no longer needed, one bounded batch at a time. Replicas may do so at the same time. */
export interface CleanupJob {
  /** What is deleted, for the log. */
  readonly name: string;
  /** Returns how many rows this batch deleted; 0 when none is left. */
  readonly deleteBatch: () => Promise<number>;
}

/**
 * The background work of the service. Modules declare their jobs in `onModuleInit`; every replica runs them from
 * start to shutdown.
 */
@Injectable()
export class Jobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Jobs.name);
  private readonly workers: PollingWorker[] = [];
  private readonly cleanupJobs: CleanupJob[] = [];
  private readonly duration: Histogram<'work' | 'outcome'>;

  constructor(registry: Registry) {
    this.duration = new Histogram({
      name: 'background_round_duration_seconds',
      help: 'Time that a round of work in the background took, by work and outcome: ok, or failed',
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
    this.workers.push(new PollingWorker(job, this.logger, this.duration));
  }

  cleanUp(job: CleanupJob): void {
    this.cleanupJobs.push(job);
  }

  onApplicationBootstrap(): void {
    for (const worker of this.workers) worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }

  /** Runs every clean-up job until nothing is left. A job that fails does not stop the others. */
  async runCleanup(signal?: AbortSignal): Promise<void> {
    for (const job of this.cleanupJobs) await this.finish(job, signal);
  }

  private async finish({ name, deleteBatch }: CleanupJob, signal: AbortSignal | undefined): Promise<void> {
    let deleted = 0;
    try {
      for (let batch = 0; batch < MAX_BATCHES && !signal?.aborted; batch++) {
        const count = await deleteBatch();
        if (count === 0) break;
        deleted += count;
      }
    } catch (error) {
      this.logger.warn({ msg: 'not cleaned up', what: name, reason: reasonOf(error) });
    }
    if (deleted > 0) this.logger.log({ msg: 'cleaned up', what: name, deleted });
  }
}
