import type { ProviderFailure } from '@fd/errors';
import type { ProviderAddress } from '../../config/index.js';
import { bearer, type Credentials, type HttpAnswer } from './http-exchange.js';

/** The error in the body of an answer. */
export interface KnownFailure {
  readonly failure: ProviderFailure;
  /** The provider's own word for it, one of a known list: it is logged. */
  readonly code: string;
}

/** Where a provider is, how it knows us, and how it words its errors. */
export interface ProviderEndpoint {
  /** In logs and metrics. */
  readonly name: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  /** For operators: the settings that all this comes from, and what to do about codes of theirs. */
  readonly help?: { readonly settings: string; readonly advice?: Readonly<Record<string, string>> };
  /** Reads an answer that the call did not declare. Undefined: only its status says something. */
  readonly failureIn?: (answer: HttpAnswer) => KnownFailure | undefined;
}

/** The endpoint of a provider that speaks our own format. */
export function ownFormat({ name, baseUrl, apiKey }: ProviderAddress): ProviderEndpoint {
  return { name, baseUrl, credentials: bearer(apiKey) };
}
