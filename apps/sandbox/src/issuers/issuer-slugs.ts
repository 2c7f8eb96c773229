import { Refusal } from '../http/refusal.js';

/** Issuers by the protocol of their own APIs. */
export const REST_ISSUERS = ['aravalli', 'nilgiri', 'sahyadri'] as const;
export const CORE_BANKING_ISSUERS = ['kaveri', 'vindhya'] as const;

export const ISSUER_SLUGS = [...REST_ISSUERS, ...CORE_BANKING_ISSUERS] as const;

/** @throws Refusal `not_found` for an issuer that does not have this protocol */
export function issuerAmong<Slug extends string>(issuers: readonly Slug[], slug: string): Slug {
  const issuer = issuers.find((known) => known === slug);
  if (!issuer) throw new Refusal(404, 'not_found', 'There is no such issuer.');
  return issuer;
}
