import { type EntityManager, IsNull } from 'typeorm';
import type { SessionIdentity } from '../../core/index.js';
import { Session } from '../sessions/session.entity.js';
import { Consent } from './consent.entity.js';

/** Opens the account to the sessions of a partner with which the person shares it now. */
export async function shareAccount(tx: EntityManager, { userId, sessionId }: SessionIdentity): Promise<void> {
  const { partnerId } = await tx.findOneOrFail(Session, {
    select: { partnerId: true },
    where: { id: sessionId, userId },
  });
  await tx.update(Session, { userId, partnerId, isUnshared: true }, { isUnshared: false });
}

/** Leaves the sessions of a partner only the person's own rights, unless the account was begun with this partner. */
export async function unshareAccount(tx: EntityManager, userId: string, partnerId: string): Promise<void> {
  const first = await tx.findOne(Consent, {
    select: { partnerId: true },
    where: { userId, purpose: 'TERMS_OF_USE' },
    order: { givenAt: 'ASC', id: 'ASC' },
  });
  if (first?.partnerId === partnerId) return;
  await tx.update(Session, { userId, partnerId, endedAt: IsNull() }, { isUnshared: true });
}
