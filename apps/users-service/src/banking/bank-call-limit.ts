import { Inject, Injectable } from '@nestjs/common';
import { GeneralErrors } from '@fd/errors';
import { ThrottlerStorage } from '@nestjs/throttler';
import type { ThrottlerStorage as CallCounts } from '@nestjs/throttler';

/** For a user, over all replicas. */
const CALLS_PER_MINUTE = 30;
const MINUTE_MS = 60_000;
const NAME = 'bank';

/** Bank calls of one user, counted where the rate limit counts: shared by replicas, in memory while Redis is away. */
@Injectable()
export class BankCallLimit {
  constructor(@Inject(ThrottlerStorage) private readonly counts: CallCounts) {}

  /** @throws GeneralErrors.tooManyRequests */
  async take(userId: string): Promise<void> {
    const { isBlocked, timeToBlockExpire } = await this.counts.increment(
      `${NAME}:${userId}`,
      MINUTE_MS,
      CALLS_PER_MINUTE,
      MINUTE_MS,
      NAME,
    );
    if (isBlocked) throw GeneralErrors.tooManyRequests({ retryAfterSeconds: Math.max(1, timeToBlockExpire) });
  }
}
