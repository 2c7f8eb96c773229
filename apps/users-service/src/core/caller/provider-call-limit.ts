import { Injectable } from '@nestjs/common';
import { GeneralErrors } from '@fd/errors';
import { RedisThrottlerStorage } from '@fd/platform';

/** Calls to a kind of provider on behalf of one user. */
const CALLS_PER_MINUTE = 30;
/** Tries and polls of one call by requests. */
const POLLS_PER_MINUTE = 60;

/**
 * Keeps one user from using up our account limits at providers. Uses the throttler's counters: shared by
 * replicas, in memory while Redis is down.
 */
@Injectable()
export class ProviderCallLimit {
  constructor(private readonly counters: RedisThrottlerStorage) {}

  /** @throws GeneralErrors.tooManyRequests */
  async take(kind: 'bank' | 'issuer', userId: string): Promise<void> {
    const retryAfterSeconds = await this.counters.hit(`${kind}:${userId}`, CALLS_PER_MINUTE);
    if (retryAfterSeconds !== undefined) throw GeneralErrors.tooManyRequests({ retryAfterSeconds });
  }

  async allowsPoll(callId: string): Promise<boolean> {
    return (await this.counters.hit(`poll:${callId}`, POLLS_PER_MINUTE)) === undefined;
  }
}
