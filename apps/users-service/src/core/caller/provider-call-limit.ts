import { Injectable } from '@nestjs/common';
import { GeneralErrors } from '@fd/errors';
import { RateLimit } from '@fd/platform';

/** By which one user may have a provider of a kind asked. */
const CALLS_PER_MINUTE = 30;
/** By which requests may ask about one call that a provider has accepted. */
const POLLS_PER_MINUTE = 60;

/**
 * Providers limit us by account, which one user must not use up. Counted where the rate limit counts: shared by replicas, in
 * memory while Redis is away.
 */
@Injectable()
export class ProviderCallLimit {
  constructor(private readonly rateLimit: RateLimit) {}

  /** @throws GeneralErrors.tooManyRequests */
  async take(kind: 'bank' | 'issuer', userId: string): Promise<void> {
    const retryAfterSeconds = await this.rateLimit.hit(`${kind}:${userId}`, CALLS_PER_MINUTE);
    if (retryAfterSeconds !== undefined) throw GeneralErrors.tooManyRequests({ retryAfterSeconds });
  }

  async allowsPoll(callId: string): Promise<boolean> {
    return (await this.rateLimit.hit(`poll:${callId}`, POLLS_PER_MINUTE)) === undefined;
  }
}
