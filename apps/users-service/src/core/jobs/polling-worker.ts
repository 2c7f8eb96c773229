import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { isError } from '@fd/errors';
import { ConfigError } from '@fd/platform';
import type { Histogram } from 'prom-client';

const DEFAULT_PERIOD_MS = 1_000;
/** How long shutdown waits for a running round. Another replica does what the round leaves. */
const DRAIN_MS = 3_000;

/** Work that every replica repeats. A lease, a lock or SKIP LOCKED in the work itself keeps replicas apart. */
export interface PollingJob {
  /** Label of the metric. */
  readonly name: string;
  /** Logged once when rounds begin to fail: what waits until they succeed again. */
  readonly waiting: string;
  /** Pause between two rounds, a second by default; asked for before each pause. */
  readonly periodMs?: () => number;
  /** One round. It returns early once the signal is aborted: the service is shutting down. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Repeats one job, never twice at once, until the service shuts down. */
export class PollingWorker {
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
    await Promise.race([this.running, sleep(DRAIN_MS, undefined, { ref: false })]);
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
      // left unhandled: it ends the process, which must not go on with these settings
      if (error instanceof ConfigError) throw error;
      if (!this.isFailing) this.logger.warn({ msg: waiting, reason: reasonOf(error) });
      this.isFailing = true;
    }
  }
}

/** Name and message of an error, for the log. */
export function reasonOf(error: unknown): string {
  return isError(error) ? `${error.name}: ${error.message}`.slice(0, 200) : typeof error;
}
