import type { PartnerEventsPayload, PartnerEventView } from '@fd/contracts';
import { EventErrors, GeneralErrors } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import { Webhook } from 'standardwebhooks';
import { aBackendKey, EventReceiver, listen, runEvents } from '../support/event-receiver.js';
import { JourneyClient } from '../support/journey-client.js';
import { as, logIn } from '../support/login.js';
import { panBody, postPan } from '../support/pan.js';
import { aPerson } from '../support/person.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
let receiver: EventReceiver;
let secret: string;
beforeAll(async () => {
  service = await startService({ EVENTS_TO_LOCAL_ADDRESSES: 'true' });
  receiver = await EventReceiver.start();
  secret = await listen(service, { address: receiver.url });
});
afterAll(async () => {
  await service.close();
  await receiver.stop();
});

const briefly = ({ type, data: { issuer_code, step, status, reason_code } }: PartnerEventView) =>
  [type, issuer_code, step, status, reason_code].filter((word) => word !== null).join(' ');
const read = async (key: string, query = ''): Promise<PartnerEventsPayload> => {
  const { body } = await service.api.with({ bearer: key }).get(`/partner/v1/events${query}`);
  return (body as { payload: PartnerEventsPayload }).payload;
};

describe('events for the backend of a partner', () => {
  it('tells a whole journey in its order, signed, and lets the backend read the same', async () => {
    const customer = new JourneyClient(service.url, 'aravalli', aPerson());
    await customer.all();
    const { payload } = (await customer.profile()).body;
    const userId = payload['user_id'] as string;
    await eventually(() => {
      expect(receiver.of(userId).at(-1)?.type).toBe('application.ready');
    });
    const told = receiver.of(userId);
    expect(told.map(briefly)).toMatchInlineSnapshot(`
      [
        "consent.given TERMS_OF_USE",
        "journey.step.completed LOGIN DONE",
        "journey.step.completed HOME DONE",
        "journey.step.completed ARAVFIN FD_DETAIL DONE",
        "consent.given PAN_VERIFICATION",
        "pan.verified PAN DONE",
        "journey.step.completed PAN DONE",
        "ekyc.verified ARAVFIN EKYC DONE",
        "journey.step.completed ARAVFIN EKYC DONE",
        "journey.step.completed EMAIL DONE",
        "journey.step.completed ARAVFIN PERSONAL_DETAILS DONE",
        "journey.step.completed NILHFC PERSONAL_DETAILS DONE",
        "journey.step.completed SAHCAP PERSONAL_DETAILS DONE",
        "bank.registered ARAVFIN BANK DONE",
        "journey.step.completed ARAVFIN BANK DONE",
        "journey.step.completed NOMINEE DONE",
        "application.ready ARAVFIN",
      ]
    `);
    for (const { headers, body, event } of receiver.tries) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event);
      expect(headers['webhook-id']).toBe(event.id);
    }
    const { events } = await read(await aBackendKey(service));
    expect(events.filter(({ data }) => data.user_id === userId)).toEqual(told);
  });
});
