import { Refusal } from '../wire/refusal.js';

/** Issuers by the format that their own APIs have. */
export const FORMAT_A_ISSUERS = ['aravalli', 'nilgiri', 'sahyadri'] as const;
export const FORMAT_B_ISSUERS = ['kaveri', 'vindhya'] as const;

/** @throws Refusal `not_found` for an issuer that does not have this format */
export function issuerAmong<Slug extends string>(issuers: readonly Slug[], slug: string): Slug {
  const issuer = issuers.find((known) => known === slug);
  if (!issuer) throw new Refusal(404, 'not_found', 'There is no such issuer.');
  return issuer;
}
