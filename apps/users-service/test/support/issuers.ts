import { randomInt } from 'node:crypto';

/** The sandbox's issuers, by slug. */
export const ISSUER_CODES = {
  aravalli: 'ARAVFIN',
  kaveri: 'KAVSFB',
  nilgiri: 'NILHFC',
  sahyadri: 'SAHCAP',
  vindhya: 'VINBANK',
} as const;
export type IssuerSlug = keyof typeof ISSUER_CODES;
export const ISSUER_SLUGS = Object.keys(ISSUER_CODES) as IssuerSlug[];

/** Returns the path of a call for an issuer: `issuerPath('kaveri', 'v2/check-etb')`. */
export const issuerPath = (slug: string, rest: string): string => `/issuer-apis/${slug}/${rest}`;

/** Returns an unused account number; its last four digits may be a magic number of the sandbox. */
export function anAccount(lastFour = '1111'): string {
  return `50${String(randomInt(1e8)).padStart(8, '0')}${lastFour}`;
}
