/**
 * Failures of a call to an external service. `refused`: it answered that it did nothing. `timeout`: no answer in time, so the
 * outcome is unknown. `malformed`: the answer breaks its own contract. `misconfigured`: our credentials or settings are wrong.
 */
export const PROVIDER_FAILURES = ['unavailable', 'refused', 'timeout', 'malformed', 'misconfigured'] as const;
export type ProviderFailure = (typeof PROVIDER_FAILURES)[number];

/** The only exception of an adapter. Its message must not contain sent or received values. */
export class ProviderError extends Error {
  readonly detail: string | undefined;

  constructor(
    readonly provider: string,
    readonly failure: ProviderFailure,
    options: { readonly detail?: string; readonly cause?: unknown } = {},
  ) {
    super(`${provider}: ${failure}${options.detail ? ` (${options.detail})` : ''}`, { cause: options.cause });
    this.name = 'ProviderError';
    this.detail = options.detail;
  }
}
