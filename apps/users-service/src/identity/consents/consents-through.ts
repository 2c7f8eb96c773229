import { CommandError } from '@fd/platform';
import type { EntityManager } from 'typeorm';
import { normalisePartnerUrl, Partner } from '../partners/partner.entity.js';
import { Consent } from './consent.entity.js';

/** Whether a user has ever consented to something through a partner. @throws CommandError for an unknown partner */
export async function consentsThrough(
  manager: EntityManager,
  url: string,
): Promise<(userId: string) => Promise<boolean>> {
  const known = URL.canParse(url)
    ? await manager.findOneBy(Partner, { url: normalisePartnerUrl(url) })
    : null;
  if (!known) throw new CommandError('There is no such partner.');
  return (userId) => manager.existsBy(Consent, { userId, partnerId: known.id });
}
