import { Injectable } from '@nestjs/common';
import { GeneralErrors } from '@fd/errors';
import { RateLimit } from '@fd/platform';

/** For a user, over all replicas. */
const CALLS_PER_MINUTE = 30;

/** Bank calls of one user, counted where the rate limit counts: shared by replicas, in memory while Redis is away. */
@Injectable()
export class BankCallLimit {
  constructor(private readonly rateLimit: RateLimit) {}

  /** @throws GeneralErrors.tooManyRequests */
  async take(userId: string): Promise<void> {
    const retryAfterSeconds = await this.rateLimit.hit(`bank:${userId}`, CALLS_PER_MINUTE);
    if (retryAfterSeconds !== undefined) throw GeneralErrors.tooManyRequests({ retryAfterSeconds });
  }
}
