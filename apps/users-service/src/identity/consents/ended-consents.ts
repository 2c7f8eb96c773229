import { type EntityManager, IsNull, Raw } from 'typeorm';
import { DECLARATIONS_KEPT_YEARS } from '../../core/index.js';
import { Consent } from './consent.entity.js';

/**
 * Ends the consents of a user who is erased: nobody can withdraw them any more, so the time for which they are kept as proof begins now, or
 * is over.
 */
export async function endConsentsOf(tx: EntityManager, userId: string): Promise<void> {
  await tx.update(Consent, { userId, withdrawnAt: IsNull() }, { withdrawnAt: () => 'now()' });
  const isOver = Raw((withdrawn) => `${withdrawn} < now() - interval '${DECLARATIONS_KEPT_YEARS} years'`);
  await tx.delete(Consent, { userId, withdrawnAt: isOver });
}
