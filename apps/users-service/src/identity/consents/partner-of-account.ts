import type { EntityManager } from 'typeorm';
import type { PartnerEvents } from '../../events/index.js';
import { Consent } from './consent.entity.js';

/** The partner in whose app an account was begun: of the first consent to the terms. Null for a user without one. */
export async function partnerOfAccount(tx: EntityManager, userId: string): Promise<string | null> {
  const order = { givenAt: 'ASC', id: 'ASC' } as const;
  const first = await tx.findOne(Consent, { where: { userId, purpose: 'TERMS_OF_USE' }, order });
  return first?.partnerId ?? null;
}

/** Tells each partner through which a user has consented to anything. */
export async function tellPartners(
  tx: EntityManager,
  events: PartnerEvents,
  type: 'user.blocked' | 'user.erased',
  userId: string,
): Promise<void> {
  const rows = await tx
    .createQueryBuilder(Consent, 'c')
    .select('c.partnerId', 'partnerId')
    .distinct()
    .where({ userId })
    .getRawMany<{ partnerId: string }>();
  await events.add(tx, ...rows.map(({ partnerId }) => ({ type, partnerId, userId })));
}
