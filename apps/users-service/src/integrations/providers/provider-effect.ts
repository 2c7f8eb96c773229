import { AppError, ProviderError, type ProviderFailure } from '@fd/errors';

/** After the others an outside party may have done what it was asked for, although nobody told us. */
const WITHOUT_EFFECT: readonly ProviderFailure[] = ['unavailable', 'refused', 'misconfigured'];

/** Whether a call failed in a way that lets us take for granted that the party did nothing: its count is given back. */
export function isWithoutEffect(error: unknown): boolean {
  const failure = error instanceof AppError ? error.cause : error;
  return failure instanceof ProviderError && WITHOUT_EFFECT.includes(failure.failure);
}
