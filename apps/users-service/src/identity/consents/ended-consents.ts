import { type EntityManager, IsNull, Not, Raw } from 'typeorm';
import { DECLARATIONS_KEPT_YEARS } from '../../core/index.js';
import { Consent } from './consent.entity.js';

/**
 * Years for which the consent to the terms of a deposit is kept after its withdrawal: a year after the end of a deposit of ten years, the
 * longest that issuers sell.
 */
export const DEPOSIT_TERMS_KEPT_YEARS = 12;

/**
 * Ends the consents of a user who is erased: nobody can withdraw them any more, so the time for which they are kept as proof begins now, or
 * is over.
 */
export async function endConsentsOf(tx: EntityManager, userId: string): Promise<void> {
  await tx.update(Consent, { userId, withdrawnAt: IsNull() }, { withdrawnAt: () => 'now()' });
  const over = (years: number) => Raw((withdrawn) => `${withdrawn} < now() - interval '${years} years'`);
  const [other, terms] = [Not('DEPOSIT_TERMS'), 'DEPOSIT_TERMS'] as const;
  await tx.delete(Consent, { userId, purpose: other, withdrawnAt: over(DECLARATIONS_KEPT_YEARS) });
  await tx.delete(Consent, { userId, purpose: terms, withdrawnAt: over(DEPOSIT_TERMS_KEPT_YEARS) });
}
