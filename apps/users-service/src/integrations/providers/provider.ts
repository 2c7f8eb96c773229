import {
  BankErrors,
  EkycErrors,
  EmailErrors,
  type ErrorDefinition,
  IssuerErrors,
  PanErrors,
} from '@fd/errors';
import type { ProviderName } from '../../config/index.js';

/** Providers by what they do for us; each issuer's own API is one of them. */
export type ProviderKind = ProviderName | 'issuer' | 'mail';

/**
 * What a person is told when a party is down, hangs, answers garbage or refuses our credentials: one code each.
 * Which of these it was is for operators: it stands in the log and in the metrics.
 */
export const UNAVAILABLE_ERRORS: Readonly<Record<ProviderKind, ErrorDefinition>> = {
  'pan-registry': PanErrors.registryUnavailable,
  bank: BankErrors.unavailable,
  aadhaar: EkycErrors.unavailable,
  'document-locker': EkycErrors.unavailable,
  ekyc: EkycErrors.unavailable,
  issuer: IssuerErrors.unavailable,
  mail: EmailErrors.mailUnavailable,
};
