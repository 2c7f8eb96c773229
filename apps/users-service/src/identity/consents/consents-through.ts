import { CommandError } from '@fd/platform';
import { type EntityManager, IsNull, Not } from 'typeorm';
import { normalisePartnerUrl, Partner } from '../partners/partner.entity.js';
import { Session } from '../sessions/session.entity.js';
import { Consent } from './consent.entity.js';

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
