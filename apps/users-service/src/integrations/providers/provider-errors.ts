import {
  AppError,
  BankErrors,
  EkycErrors,
  EmailErrors,
  type ErrorDefinition,
  GeneralErrors,
  IssuerErrors,
  PanErrors,
  ProviderError,
  type ProviderFailure,
} from '@fd/errors';
import type { ProviderName } from '../../config/index.js';

/** One user has too many running calls to a provider. Nothing was sent. */
export class UserBulkheadFullError extends ProviderError {}

/** Providers by purpose; issuers' APIs are one of them. */
type ProviderKind = ProviderName | 'issuer' | 'mail';

/** The answer when a provider is down, hangs, answers garbage or refuses our credentials; logs and metrics say which. */
const UNAVAILABLE_ERRORS: Readonly<Record<ProviderKind, ErrorDefinition>> = {
  'pan-registry': PanErrors.registryUnavailable,
  bank: BankErrors.unavailable,
  aadhaar: EkycErrors.unavailable,
  'document-locker': EkycErrors.unavailable,
  ekyc: EkycErrors.unavailable,
  issuer: IssuerErrors.unavailable,
  mail: EmailErrors.mailUnavailable,
};

/**
 * Runs a call to a provider and turns its failure into our refusal.
 * @throws AppError the provider's code in UNAVAILABLE_ERRORS; GeneralErrors.tooManyRequests when the user calls
 * too often
 */
export async function orUnavailable<T>(kind: ProviderKind, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserBulkheadFullError) {
      throw GeneralErrors.tooManyRequests({ retryAfterSeconds: 1, cause: error });
    }
    if (error instanceof ProviderError) throw UNAVAILABLE_ERRORS[kind]({ cause: error });
    throw error;
  }
}

/** Whether to try the next provider: this one did nothing, and the user is within the limits. */
export function mayAskAnother(error: unknown): boolean {
  if (error instanceof UserBulkheadFullError || !(error instanceof ProviderError)) return false;
  return error.failure === 'unavailable' || error.failure === 'misconfigured';
}

/** After any other failure the provider may have acted. */
const WITHOUT_EFFECT: readonly ProviderFailure[] = ['unavailable', 'refused', 'misconfigured'];

/** Whether a provider says that it did nothing, so that the call may be made again, there or elsewhere. */
export function isWithoutEffect(error: unknown): boolean {
  const failure = failureBehind(error);
  return failure !== undefined && WITHOUT_EFFECT.includes(failure.failure);
}

/** Whether a failed call does not count for its user: see `ProviderError.isFree`. */
export function isFree(error: unknown): boolean {
  return failureBehind(error)?.isFree ?? false;
}

function failureBehind(error: unknown): ProviderError | undefined {
  const failure = error instanceof AppError ? error.cause : error;
  return failure instanceof ProviderError ? failure : undefined;
}
