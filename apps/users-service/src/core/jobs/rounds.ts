import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { isError } from '@fd/errors';
import { Histogram, type Registry } from 'prom-client';

const ROUND_MS = 1_000;
/** How long an ending replica waits for a round; what it leaves is another one's. */
const FAREWELL_MS = 3_000;

type WorkLabels = 'work' | 'outcome';

/** The measure that all work in rounds has in common. */
function durationIn(registry: Registry): Histogram<WorkLabels> {
  const name = 'background_round_duration_seconds';
  const known = registry.getSingleMetric(name) as Histogram<WorkLabels> | undefined;
  return (
    known ??
    new Histogram({
      name,
      help: 'Time that a round of work in the background took, by work and outcome: ok, or failed',
      labelNames: ['work', 'outcome'],
      buckets: [0.01, 0.05, 0.25, 1, 5],
      registers: [registry],
    })
  );
}

/** What a kind of work is called. */
export interface WorkTitle {
  /** For metrics. */
  readonly work: string;
  /** What waits while rounds fail, for the log. */
  readonly waiting: string;
}

/**
 * Work that every replica does again and again, about each second and never twice at once, until the service ends. A
 * store that is away is told once, and asked again each round.
 */
export class Rounds {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private hasEnded = false;
  private isFailing = false;
  private readonly duration: Histogram<WorkLabels>;

  /** @param work one round */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly title: WorkTitle,
    private readonly logger: Logger,
    registry: Registry,
  ) {
    this.duration = durationIn(registry);
  }

  /** Whether a round that is under way is to leave the rest of its work. */
  get isEnding(): boolean {
    return this.hasEnded;
  }

  begin(): void {
    if (this.hasEnded) return;
    // replicas that started together need not work together
    const pause = ROUND_MS * (0.75 + Math.random() / 2);
    this.timer = setTimeout(() => {
      this.running = this.round().finally(() => this.begin());
    }, pause);
    this.timer.unref();
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    clearTimeout(this.timer);
    await Promise.race([this.running, sleep(FAREWELL_MS, undefined, { ref: false })]);
  }

  private async round(): Promise<void> {
    const { work, waiting } = this.title;
    const end = this.duration.startTimer({ work });
    try {
      await this.work();
      end({ outcome: 'ok' });
      this.isFailing = false;
    } catch (error) {
      end({ outcome: 'failed' });
      if (!this.isFailing) this.logger.warn({ msg: waiting, reason: reasonOf(error) });
      this.isFailing = true;
    }
  }
}

/** Name and message of an error, for the log. */
export function reasonOf(error: unknown): string {
  return isError(error) ? `${error.name}: ${error.message}`.slice(0, 200) : typeof error;
}
