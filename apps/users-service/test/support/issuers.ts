import { randomInt } from 'node:crypto';

/** The issuers that the sandbox plays, by slug. */
export const ISSUER_CODES = {
  aravalli: 'ARAVFIN',
  kaveri: 'KAVSFB',
  nilgiri: 'NILHFC',
  sahyadri: 'SAHCAP',
  vindhya: 'VINBANK',
} as const;
export type IssuerSlug = keyof typeof ISSUER_CODES;
export const ISSUER_SLUGS = Object.keys(ISSUER_CODES) as IssuerSlug[];

/** The path of a call to an issuer: `issuerPath('kaveri', 'v2/check-etb')`. */
export const issuerPath = (slug: string, rest: string): string => `/issuer-apis/${slug}/${rest}`;

/** An account that no other test uses; its last four digits are special to the sandbox, or not. */
export function anAccount(lastFour = '1111'): string {
  return `50${String(randomInt(1e8)).padStart(8, '0')}${lastFour}`;
}
