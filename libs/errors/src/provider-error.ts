/**
 * Failures of a call to an external service. `refused`: it answered that it did nothing. `timeout`: no answer in time, so the
 * outcome is unknown. `malformed`: the answer breaks its own contract. `misconfigured`: our credentials or settings are wrong.
 */
export const PROVIDER_FAILURES = ['unavailable', 'refused', 'timeout', 'malformed', 'misconfigured'] as const;
export type ProviderFailure = (typeof PROVIDER_FAILURES)[number];

/**
 * What else is known of a failure. `not-sent`: nothing reached the provider. `throttled`: it refused the call because there are
 * too many. `elsewhere`: it works, but a system behind it that this call needs is unavailable, such as one bank. `our-account`:
 * after a part that was paid, it refused our credentials or wallet.
 */
export type FailureReason = 'not-sent' | 'throttled' | 'elsewhere' | 'our-account';

const FREE_REASONS: readonly FailureReason[] = ['not-sent', 'throttled', 'our-account'];

/** The only exception of an adapter. Its message must not contain sent or received values. */
export class ProviderError extends Error {
  readonly detail: string | undefined;
  readonly reason: FailureReason | undefined;
  /** Milliseconds for which a `throttled` caller should wait; undefined if the provider does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly provider: string,
    readonly failure: ProviderFailure,
    options: {
      readonly detail?: string | undefined;
      readonly cause?: unknown;
      readonly reason?: FailureReason | undefined;
      readonly retryAfterMs?: number | undefined;
    } = {},
  ) {
    super(`${provider}: ${failure}${options.detail ? ` (${options.detail})` : ''}`, { cause: options.cause });
    this.name = 'ProviderError';
    this.detail = options.detail;
    this.reason = options.reason;
    this.retryAfterMs = options.retryAfterMs;
  }

  /**
   * Whether the call does not count for its user: it certainly cost nothing, since it was not sent, or refused for too many
   * calls or for our credentials; or our account failed it half-way. A refusal of the request and a 503 prove nothing: some
   * providers have looked up, and charged, before both.
   */
  get isFree(): boolean {
    return (
      this.failure === 'misconfigured' || (this.reason !== undefined && FREE_REASONS.includes(this.reason))
    );
  }
}
