import type { PartnerEventType } from '@fd/client/server';
import { BankErrors } from '@fd/errors';
import { type EventType, EVENT_TYPES } from './event-types.js';
import { viewOf } from './event-view.js';
import type { PartnerEvent } from './partner-event.entity.js';

/** Compiled only if the client knows exactly the types that are sent. */
const KNOWN: readonly PartnerEventType[] = EVENT_TYPES;
const SENT = (type: PartnerEventType): EventType => type;

const ISSUERS = [{ slug: 'aravalli', code: 'ARAVFIN' }];
const eventOf = (type: EventType, issuerSlug: string | null) =>
  ({
    id: '0198c0de-0000-7000-8000-000000000001',
    partnerId: '0198c0de-0000-7000-8000-0000000000bb',
    userId: '0198c0de-0000-7000-8000-0000000000aa',
    type,
    issuerSlug,
    step: 'BANK',
    status: 'FAILED',
    reasonCode: BankErrors.holderDiffers.code,
    occurredAt: new Date('2026-11-29T10:15:30.123Z'),
    position: '7',
    state: 'DUE',
    lastAnswer: '500',
  }) as PartnerEvent;

/** Where each type leads to, without and with an issuer. */
const JOURNEY = ['/api/v1/user-profile', '/issuer-apis/aravalli/v1/journey'];
const LINKS: Readonly<Partial<Record<EventType, readonly (string | null)[]>>> = {
  'nominee.changed': ['/api/v1/user-nominee', '/api/v1/user-nominee'],
  'consent.given': ['/api/v1/consents', '/api/v1/consents'],
  'consent.withdrawn': ['/api/v1/consents', '/api/v1/consents'],
  'application.ready': ['/api/v1/user-profile', '/issuer-apis/aravalli/v1/booking-check'],
  'user.blocked': [null, null],
  'user.erased': [null, null],
};

describe('the view of an event', () => {
  it.each(KNOWN.map(SENT))('has these fields and no others: %s', (type) => {
    const [withoutIssuer, withIssuer] = LINKS[type] ?? JOURNEY;
    const data = {
      user_id: '0198c0de-0000-7000-8000-0000000000aa',
      step: 'BANK',
      status: 'FAILED',
      reason_code: BankErrors.holderDiffers.code,
    };
    const event = { id: '0198c0de-0000-7000-8000-000000000001', type, timestamp: '2026-11-29T10:15:30.123Z' };
    expect(viewOf(eventOf(type, null), ISSUERS)).toStrictEqual({
      ...event,
      data: { ...data, issuer_code: null, link: withoutIssuer },
    });
    expect(viewOf(eventOf(type, 'aravalli'), ISSUERS)).toStrictEqual({
      ...event,
      data: { ...data, issuer_code: 'ARAVFIN', link: withIssuer },
    });
  });

  it('has no code of an issuer that was removed', () => {
    expect(viewOf(eventOf('bank.refused', 'gone'), ISSUERS).data).toMatchObject({
      issuer_code: null,
      link: '/issuer-apis/gone/v1/journey',
    });
  });
});
