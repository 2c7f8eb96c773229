/**
 * What can go wrong between us and an outside party. `refused`: it answered that it will not do it, so nothing
 * happened there. `timeout`: no answer in time, so the outcome is not known. `malformed`: an answer outside its
 * own contract. `misconfigured`: our credentials or settings are wrong.
 */
export const PROVIDER_FAILURES = ['unavailable', 'refused', 'timeout', 'malformed', 'misconfigured'] as const;
export type ProviderFailure = (typeof PROVIDER_FAILURES)[number];

/** The only exception an adapter throws. The message must not hold what was sent or received. */
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
