import { CommandError } from '@fd/platform';
import { type EntityManager, IsNull, Not } from 'typeorm';
import type { PartnerEvents } from '../../events/index.js';
import { normalisePartnerUrl, Partner } from '../partners/partner.entity.js';
import { Session } from '../sessions/session.entity.js';
import { Consent } from './consent.entity.js';

/** See `AccountPartners`. */
export async function partnerForEvents(
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
 * Adds an event for each partner through which a user has consented to anything, and with which the account is still shared: of an erasure, also if all
 * was withdrawn since.
 */
export async function publishToPartners(
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
  const receivers: string[] = [];
  for (const { partnerId } of rows) {
    const needsNoSharing = type === 'user.erased' || partnerId === first;
    if (needsNoSharing || !(await isSharingWithdrawn(tx, userId, partnerId))) receivers.push(partnerId);
  }
  await events.add(tx, ...receivers.map((partnerId) => ({ type, partnerId, userId })));
}

/**
 * Whether a user has ever consented to something through a partner, or has confirmed the account there, which needs no consent: as long as
 * the session is kept.
 * @throws CommandError for an unknown partner
 */
export async function consentsThrough(
  manager: EntityManager,
  url: string,
): Promise<(userId: string) => Promise<boolean>> {
  const known = URL.canParse(url)
    ? await manager.findOneBy(Partner, { url: normalisePartnerUrl(url) })
    : null;
  if (!known) throw new CommandError('There is no such partner.');
  const through = { partnerId: known.id };
  return async (userId) =>
    (await manager.existsBy(Consent, { userId, ...through })) ||
    manager.existsBy(Session, { userId, ...through, confirmedAt: Not(IsNull()) });
}
