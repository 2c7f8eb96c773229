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

/** Whether to try the next provider: this one did nothing, or no harm, and the user is within the limits. */
function mayAskAnother(error: unknown, isHarmless: boolean): boolean {
  if (error instanceof UserBulkheadFullError || !(error instanceof ProviderError)) return false;
  return isHarmless || error.failure === 'unavailable' || error.failure === 'misconfigured';
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

interface BeginOptions<Provider> {
  /** Whether to ask a provider now; at least one. Default: all. */
  readonly isAsked?: (provider: Provider) => boolean;
  /**
   * Whether an operation without an answer costs nothing and has no effect, so that the next provider is tried after any
   * failure. Default: no.
   */
  readonly isHarmless?: boolean;
}

/** Providers of one kind. The next one is asked only if the previous one did nothing. */
export class ProviderList<Provider extends { readonly name: string }> {
  /** @param inOrder at least one, in order of preference */
  constructor(
    private readonly setting: string,
    readonly inOrder: readonly Provider[],
  ) {}

  /** @throws ProviderError when the settings no longer name it */
  named(name: string): Provider {
    const found = this.inOrder.find((provider) => provider.name === name);
    if (found) return found;
    throw new ProviderError(name, 'misconfigured', { detail: `not in ${this.setting}` });
  }

  /**
   * Starts an operation at the first provider that accepts it. Tries the next one only after a failure that proves that
   * the previous one did nothing, unless the operation is harmless.
   * @param chosen the provider of an earlier try, which goes first; null without one
   * @throws ProviderError of the first provider that may have charged for its failure; else of the last one
   */
  async begin<T>(
    chosen: string | null,
    at: (provider: Provider) => Promise<T>,
    { isAsked = () => true, isHarmless = false }: BeginOptions<Provider> = {},
  ): Promise<T> {
    const isChosen = ({ name }: Provider): boolean => name === chosen;
    const asked = this.inOrder.filter(isAsked);
    const order = [...asked.filter(isChosen), ...asked.filter((one) => !isChosen(one))];
    const last = order.pop()!;
    let counted: unknown;
    for (const provider of order) {
      try {
        return await at(provider);
      } catch (error) {
        if (!mayAskAnother(error, isHarmless)) throw error;
        if (!isFree(error)) counted ??= error;
      }
    }
    try {
      return await at(last);
    } catch (error) {
      throw counted !== undefined && isFree(error) ? counted : error;
    }
  }
}
