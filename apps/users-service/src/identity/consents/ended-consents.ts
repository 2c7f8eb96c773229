import { type EntityManager, Equal, IsNull, Not, Raw } from 'typeorm';
import { DECLARATIONS_KEPT_YEARS } from '../../core/index.js';
import { Consent } from './consent.entity.js';

/**
 * For how many years consents are kept after their withdrawal, by purpose. Those to the terms of a deposit: until a year after the end of a
 * deposit of ten years, the longest that issuers sell.
 */
export const KEPT_CONSENTS = [
  { purpose: Not('DEPOSIT_TERMS'), years: DECLARATIONS_KEPT_YEARS },
  { purpose: Equal('DEPOSIT_TERMS'), years: 12 },
] as const;

/**
 * Ends the consents of a user who is erased: nobody can withdraw them any more, so the time for which they are kept as proof begins now, or
 * is over.
 */
export async function endConsentsOf(tx: EntityManager, userId: string): Promise<void> {
  await tx.update(Consent, { userId, withdrawnAt: IsNull() }, { withdrawnAt: () => 'now()' });
  for (const { purpose, years } of KEPT_CONSENTS) {
    const withdrawnAt = Raw((withdrawn) => `${withdrawn} < now() - interval '${years} years'`);
    await tx.delete(Consent, { userId, purpose, withdrawnAt });
  }
}
