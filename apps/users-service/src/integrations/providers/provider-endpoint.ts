import type { FailureReason, ProviderFailure } from '@fd/errors';
import type { Endpoint, ProviderAddress } from '../../config/index.js';
import { bearer, type Credentials, type HttpAnswer } from './http-exchange.js';

/** The error in the body of an answer. */
export interface KnownFailure {
  readonly failure: ProviderFailure;
  readonly reason?: FailureReason;
  /** The provider's code from a known list; it is logged. */
  readonly code: string;
}

/** URL, credentials and error format of a provider. */
export interface ProviderEndpoint extends Endpoint {
  readonly credentials: Credentials;
  /** For operators: the settings of this endpoint, and remedies by error code. */
  readonly help?: { readonly settings: string; readonly advice?: Readonly<Record<string, string>> };
  /** Reads an undeclared answer. Undefined: only its status is meaningful. */
  readonly failureIn?: (answer: HttpAnswer) => KnownFailure | undefined;
}

/** The endpoint of a provider with our own format. */
export function ownFormat({ name, baseUrl, apiKey }: ProviderAddress): ProviderEndpoint {
  return { name, baseUrl, credentials: bearer(apiKey) };
}
