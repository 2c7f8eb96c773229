import { type EntityManager, IsNull } from 'typeorm';
import type { PartnerEvents } from '../../events/index.js';
import { Consent } from './consent.entity.js';

/** See `AccountPartners`. */
export async function partnerToTell(
  tx: EntityManager,
  userId: string,
  through: string | null,
): Promise<string | null> {
  if (through !== null && !(await isSharingWithdrawn(tx, userId, through))) return through;
  return partnerOfAccount(tx, userId);
}

/** The partner in whose app the account was begun, which needs no sharing; null without one. */
export async function partnerOfAccount(tx: EntityManager, userId: string): Promise<string | null> {
  const order = { givenAt: 'ASC', id: 'ASC' } as const;
  const first = await tx.findOne(Consent, { where: { userId, purpose: 'TERMS_OF_USE' }, order });
  return first?.partnerId ?? null;
}

/** Whether the user has shared the account with a partner, and does no longer. */
async function isSharingWithdrawn(tx: EntityManager, userId: string, partnerId: string): Promise<boolean> {
  const sharing = { userId, partnerId, purpose: 'PARTNER_SHARING' } as const;
  return (
    (await tx.existsBy(Consent, sharing)) &&
    !(await tx.existsBy(Consent, { ...sharing, withdrawnAt: IsNull() }))
  );
}

/**
 * Tells each partner through which a user has consented to anything, and with which the account is still shared: of an erasure, too, if all
 * was withdrawn since.
 */
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
    .where({ userId, ...(type === 'user.blocked' && { withdrawnAt: IsNull() }) })
    .getRawMany<{ partnerId: string }>();
  const first = await partnerOfAccount(tx, userId);
  const told: string[] = [];
  for (const { partnerId } of rows) {
    const isTold = type === 'user.erased' || partnerId === first;
    if (isTold || !(await isSharingWithdrawn(tx, userId, partnerId))) told.push(partnerId);
  }
  await events.add(tx, ...told.map((partnerId) => ({ type, partnerId, userId })));
}
