import type { PartnerEventView } from '@fd/contracts';
import type { Issuer } from '../../config/index.js';
import type { EventType } from './event-types.js';
import type { PartnerEvent } from './partner-event.entity.js';

/** Where a session of the user reads more; of the journey unless named here. */
const LINKS: Readonly<Partial<Record<EventType, string | null>>> = {
  'nominee.changed': '/api/v1/user-nominee',
  'consent.given': '/api/v1/consents',
  'consent.withdrawn': '/api/v1/consents',
  'user.blocked': null,
  'user.erased': null,
};

/** An event as partners get it, by delivery and by reading. */
export function viewOf(
  event: PartnerEvent,
  issuers: readonly Pick<Issuer, 'slug' | 'code'>[],
): PartnerEventView {
  const { id, type, occurredAt, userId, issuerSlug, step, status, reasonCode } = event;
  const journey = issuerSlug === null ? '/api/v1/user-profile' : linkOfIssuer(type, issuerSlug);
  const { [type]: link = journey } = LINKS;
  return {
    id,
    type,
    timestamp: occurredAt.toISOString(),
    data: {
      user_id: userId,
      // the issuer may have been removed since
      issuer_code: issuers.find(({ slug }) => slug === issuerSlug)?.code ?? null,
      step,
      status,
      reason_code: reasonCode,
      link,
    },
  };
}

const linkOfIssuer = (type: EventType, slug: string): string =>
  `/issuer-apis/${slug}/v1/${type === 'application.ready' ? 'booking-check' : 'journey'}`;
