import { randomUUID } from 'node:crypto';
import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { timeLimit } from '@fd/envelope';
import { Clock } from '@fd/platform';
import { z } from 'zod';

const POLL_MS = 250;
const ANSWER_LIMIT_MS = timeLimit(1_000);

const answer = z.object({ ahead_seconds: z.int().nonnegative() });

/**
 * The clock of the sandbox, for development: asks for its offset four times a second, never goes back, and keeps its
 * last value while the sandbox is down. Production refuses the setting that selects it.
 */
export class FollowedClock extends Clock implements OnModuleInit, OnModuleDestroy {
  private ahead = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly over = new AbortController();
  private readonly url: URL;

  /** @param url returns `{"ahead_seconds"}`; its query parameter `follower` names the service to the sandbox */
  constructor(url: string) {
    super();
    this.url = new URL(url);
    this.url.searchParams.set('follower', randomUUID());
  }

  override get aheadMs(): number {
    return this.ahead;
  }

  override machineNow(): Date {
    return new Date();
  }

  async onModuleInit(): Promise<void> {
    await this.follow();
  }

  onModuleDestroy(): void {
    this.over.abort();
    clearTimeout(this.timer);
  }

  private async follow(): Promise<void> {
    await this.read();
    if (!this.over.signal.aborted) this.timer = setTimeout(() => void this.follow(), POLL_MS).unref();
  }

  /** Asks once, for at most a second. Never throws: without an answer the clock stays as it is. */
  async read(): Promise<void> {
    const signal = AbortSignal.any([this.over.signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
    try {
      const response = await fetch(this.url, { signal });
      const { ahead_seconds: seconds } = answer.parse(await response.json());
      this.ahead = Math.max(this.ahead, seconds * 1_000);
    } catch {
      // the sandbox restarts, or is not started yet
    }
  }
}
