import type { ErrorCode } from '@fd/errors';

/** Outside parties by what they do for us. An issuer's own API is one party for each issuer. */
export const PROVIDER_KINDS = [
  'pan-registry',
  'bank',
  'aadhaar',
  'document-locker',
  'ekyc',
  'issuer',
  'mail',
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/**
 * What a person is told when a party is down, hangs, answers garbage or refuses our credentials: one code each.
 * Which of these it was is for operators: it stands in the log and in the metrics.
 */
export const UNAVAILABLE_CODES: Readonly<Record<ProviderKind, ErrorCode>> = {
  'pan-registry': 'SVCUSER2208',
  bank: 'SVCUSER2753',
  aadhaar: 'SVCUSER2404',
  'document-locker': 'SVCUSER2404',
  ekyc: 'SVCUSER2404',
  issuer: 'SVCUSER2403',
  mail: 'SVCUSER2508',
};

/** Where a party is, and how it knows us. */
export interface ProviderAddress {
  readonly kind: ProviderKind;
  /** Name in logs and metrics: the kind, for an issuer with its slug. */
  readonly name: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
}
