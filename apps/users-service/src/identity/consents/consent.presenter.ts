import type { GivenConsent } from '@fd/contracts';
import type { ListedConsent } from './consents.repository.js';

export function presentConsent(consent: ListedConsent): GivenConsent {
  return {
    consent_id: consent.id,
    purpose: consent.purpose,
    notice_version: consent.notice_version,
    given_at: consent.given_at.toISOString(),
    withdrawn_at: consent.withdrawn_at?.toISOString() ?? null,
    partner_url: consent.partner_url,
  };
}
