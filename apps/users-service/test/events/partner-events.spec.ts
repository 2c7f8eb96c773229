import { randomBytes } from 'node:crypto';
import { verifyEvent } from '@fd/client/server';
import { type GivenConsent, signFactSheet } from '@fd/contracts';
import { timeLimit } from '@fd/envelope';
import { BankErrors, ConsentErrors, GeneralErrors, PanErrors } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import { Webhook } from 'standardwebhooks';
import { EventDeliveries } from '../../src/events/delivery/event-deliveries.service.js';
import { PartnerEvents } from '../../src/events/outbox/partner-events.service.js';
import { bankBody, payloadOf, postBank } from '../support/bank.js';
import { finishEkyc } from '../support/ekyc.js';
import { aBackendKey, briefly, type EventReceiver, listen, runEvents } from '../support/event-receiver.js';
import { failCommits } from '../support/fail-commits.js';
import { aPhone, codeOf } from '../support/inbox.js';
import { anAccount, issuerPath } from '../support/issuers.js';
import { JourneyClient } from '../support/journey-client.js';
import { verifyBody } from '../support/login.js';
import { aNominee, nominate, NOMINEE_PATH, postNominee } from '../support/nominees.js';
import { decideNames, runBank, runPan, runUsers, WHO } from '../support/operator.js';
import { aPan, knownAs, panBody, postPan, verifyPan } from '../support/pan.js';
import { aPartner } from '../support/partner.js';
import { aPerson } from '../support/person.js';
import { startService, type TestService } from '../support/users-app.js';
import { EVENTS, EventScene, OTHER } from '../support/event-scene.js';

const scene = new EventScene();
const { receivedOf, backend, page, aUser, looked } = scene;
let service: TestService;
let receiver: EventReceiver;
let otherReceiver: EventReceiver;
let secret: string;
beforeAll(async () => {
  ({ service, receiver, otherReceiver, secret } = await scene.start());
});
afterAll(() => scene.stop());

/** A person whose application with Aravalli is ready to book. */
const readyCustomer = async () => {
  const customer = new JourneyClient(service.url, 'aravalli', aPerson());
  await customer.all();
  const id = (await customer.profile()).body.payload['user_id'] as string;
  await eventually(() => expect(receivedOf(id).at(-1)).toBe('application.ready ARAVFIN'));
  return { customer, id };
};

const consentsOf = async (customer: JourneyClient): Promise<GivenConsent[]> =>
  (await customer.call('GET', '/api/v1/consents')).body.payload['consents'] as GivenConsent[];
const giveConsent = (customer: JourneyClient, purpose: string) =>
  customer.call('POST', '/api/v1/consents', { purpose, notice_version: '2026-11' });
const withdrawConsent = async (customer: JourneyClient, purpose: string): Promise<void> => {
  const given = (await consentsOf(customer)).find(
    (consent) => consent.purpose === purpose && consent.withdrawn_at === null,
  );
  const { status } = await customer.call('POST', `/api/v1/consents/${given!.consent_id}/withdraw`, {});
  expect(status).toBe(200);
};
describe('events for the backend of a partner', () => {
  it('reports a whole journey in its order, signed, and lets the backend read the same', async () => {
    const { id } = await readyCustomer();
    expect(receivedOf(id)).toEqual([
      'consent.given TERMS_OF_USE',
      'journey.step.completed LOGIN DONE',
      'journey.step.completed HOME DONE',
      'journey.step.completed ARAVFIN FD_DETAIL DONE',
      'consent.given PAN_VERIFICATION',
      'pan.verified PAN DONE',
      'journey.step.completed PAN DONE',
      'ekyc.verified ARAVFIN EKYC DONE',
      'journey.step.completed ARAVFIN EKYC DONE',
      'journey.step.completed EMAIL DONE',
      'journey.step.completed ARAVFIN PERSONAL_DETAILS DONE',
      // the same details are enough there
      'journey.step.completed NILHFC PERSONAL_DETAILS DONE',
      'journey.step.completed SAHCAP PERSONAL_DETAILS DONE',
      'bank.verified BANK',
      'bank.registered ARAVFIN BANK DONE',
      'journey.step.completed ARAVFIN BANK DONE',
      'journey.step.completed NOMINEE DONE',
      'application.ready ARAVFIN',
    ]);
    for (const { headers, body, event } of receiver.tries) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event);
      expect(verifyEvent({ body, headers, secrets: secret })).toEqual(event);
    }
    const { events } = await page();
    expect(events.filter(({ data }) => data.user_id === id)).toEqual(receiver.of(id));
    expect(Object.fromEntries(events.map(({ type, data }) => [type, data.link]))).toMatchObject({
      'consent.given': '/api/v1/consents',
      'pan.verified': '/api/v1/user-profile',
      'bank.registered': '/issuer-apis/aravalli/v1/journey',
      'application.ready': '/issuer-apis/aravalli/v1/booking-check',
    });
  });

  it('reports that an application is ready again after a change in the app of a partner that does not listen', async () => {
    const { customer, id } = await readyCustomer();
    const before = receiver.of(id).length;
    const url = 'https://deaf.partner.example';
    await aPartner(service.dataSource, { url });
    const { api } = await aUser(url, customer.person.phone);
    const { body } = await customer.call('GET', NOMINEE_PATH);
    const [{ nominee_id }] = body.payload['nominees'] as [{ nominee_id: string }];
    await api.delete(`${NOMINEE_PATH}/${nominee_id}`);
    // the event of the deletion has been looked at
    const readiness =
      'SELECT is_ready, changed_at FROM onboarding.application_readiness WHERE user_id = $1 AND issuer_slug = $2';
    await eventually(async () =>
      expect(await service.dataSource.query(readiness, [id, 'aravalli'])).toEqual([
        { is_ready: false, changed_at: null },
      ]),
    );
    await nominate(api);
    await eventually(() =>
      expect(receivedOf(id).slice(before)).toEqual([
        'nominee.changed NOMINEE',
        'journey.step.reopened NOMINEE NOT_STARTED',
        'application.ready ARAVFIN',
      ]),
    );
  });

  it('reports that an application is ready again after a change', async () => {
    const { customer, id } = await readyCustomer();
    const before = receiver.of(id).length;
    const { body } = await customer.call('GET', NOMINEE_PATH);
    const [{ nominee_id }] = body.payload['nominees'] as [{ nominee_id: string }];
    await customer.call('DELETE', `${NOMINEE_PATH}/${nominee_id}`);
    await customer.nominee();
    await eventually(() =>
      expect(receivedOf(id).slice(before)).toEqual([
        'nominee.changed NOMINEE',
        'journey.step.reopened NOMINEE NOT_STARTED',
        'journey.step.completed NOMINEE DONE',
        'application.ready ARAVFIN',
      ]),
    );
    await runPan(service, '', 'release', '--user', id, ...WHO);
    await eventually(() => expect(receivedOf(id)).toContain('pan.released PAN NOT_STARTED PAN_RELEASED'));
  });

  it('reports that an application is ready again only after a consent that the booking check reads', async () => {
    const { customer, id } = await readyCustomer();
    const before = receiver.of(id).length;
    const unread = ['BANK_ACCOUNT_VERIFICATION', 'CKYC'];
    for (const purpose of unread) {
      await giveConsent(customer, purpose);
      await withdrawConsent(customer, purpose);
    }
    // no fact sheet is required
    await customer.bookingCheck(`?fact_sheet_hash=${'c'.repeat(64)}`);
    await withdrawConsent(customer, 'DEPOSIT_TERMS');
    await looked(id);
    const read = ['ISSUER_SHARING', 'PAN_VERIFICATION', 'TERMS_OF_USE'];
    await giveConsent(customer, read[0]!);
    for (const purpose of read) {
      await withdrawConsent(customer, purpose);
      await giveConsent(customer, purpose);
      await looked(id);
    }
    const withdrawn = (purpose: string) => [`consent.given ${purpose}`, `consent.withdrawn ${purpose}`];
    const givenAgain = (purpose: string) => [
      `consent.withdrawn ${purpose}`,
      `consent.given ${purpose}`,
      'application.ready ARAVFIN',
    ];
    await eventually(() =>
      expect(receivedOf(id).slice(before)).toEqual([
        ...[...unread, 'DEPOSIT_TERMS'].flatMap(withdrawn),
        `consent.given ${read[0]!}`,
        ...read.flatMap(givenAgain),
      ]),
    );
  });

  it('does not report that an application is ready by the consents through another partner', async () => {
    const { customer, id } = await readyCustomer();
    const before = receiver.of(id).length;
    await aUser(OTHER, customer.person.phone);
    await eventually(() => expect(receivedOf(id, otherReceiver)).toEqual(['consent.given TERMS_OF_USE']));
    const terms = (await consentsOf(customer)).find(
      ({ purpose, partner_url }) => purpose === 'TERMS_OF_USE' && partner_url === service.partner.url,
    );
    await customer.call('POST', `/api/v1/consents/${terms!.consent_id}/withdraw`, {});
    await looked(id);
    const { body } = await customer.call('GET', customer.path('v1/booking-check'));
    expect(body.error).toMatchObject([{ errorCode: ConsentErrors.withdrawn.code }]);
    await giveConsent(customer, 'TERMS_OF_USE');
    await eventually(() =>
      expect(receivedOf(id).slice(before)).toEqual([
        'consent.withdrawn TERMS_OF_USE',
        'consent.given TERMS_OF_USE',
        'application.ready ARAVFIN',
      ]),
    );
  });

  it('reports that an application is ready again after the consent to a fact sheet that its issuer requires', async () => {
    const key = { id: 'f1', bytes: randomBytes(32) };
    const strict = await startService({
      EVENTS_TO_LOCAL_ADDRESSES: 'true',
      FACT_SHEET_REQUIRED: 'aravalli',
      FACT_SHEET_KEYS: `${key.id}:${key.bytes.toString('base64')}`,
    });
    try {
      await listen(strict, { address: receiver.url });
      const customer = new JourneyClient(strict.url, 'aravalli', aPerson());
      await customer.all();
      const id = (await customer.profile()).body.payload['user_id'] as string;
      const before = 'journey.step.completed NOMINEE DONE';
      const hash = 'c'.repeat(64);
      const signature = signFactSheet(key, 'ARAVFIN', hash);
      const agree = () => customer.bookingCheck(`?fact_sheet_hash=${hash}&fact_sheet_signature=${signature}`);
      await agree();
      await looked(id, strict);
      await withdrawConsent(customer, 'DEPOSIT_TERMS');
      await agree();
      const agreed = ['consent.given DEPOSIT_TERMS', 'application.ready ARAVFIN'];
      await eventually(() =>
        expect(receivedOf(id).slice(receivedOf(id).indexOf(before) + 1)).toEqual([
          ...agreed,
          'consent.withdrawn DEPOSIT_TERMS',
          ...agreed,
        ]),
      );
    } finally {
      await strict.close();
    }
  });

  it('reports that an application is ready that was begun before any partner listened', async () => {
    const early = await startService({ EVENTS_TO_LOCAL_ADDRESSES: 'true' });
    try {
      const customer = new JourneyClient(early.url, 'aravalli', aPerson());
      await customer.register();
      await customer.logIn();
      await customer.untilBank();
      const id = (await customer.profile()).body.payload['user_id'] as string;
      const noted = 'SELECT issuer_slug FROM onboarding.application_readiness';
      expect(await early.dataSource.query(noted)).toEqual([]);
      await listen(early, { address: receiver.url });
      await customer.nominee();
      await eventually(() =>
        expect(receivedOf(id)).toEqual(['journey.step.completed NOMINEE DONE', 'application.ready ARAVFIN']),
      );
    } finally {
      await early.close();
    }
  });

  it('reports that an application is ready while another one cannot be looked at', async () => {
    const { id } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    // as with a key that is lost
    const unreadable = "UPDATE onboarding.identities SET pan_encrypted = 'v1.lost' WHERE user_id = $1";
    await service.dataSource.query(unreadable, [id]);
    const changed = `INSERT INTO onboarding.application_readiness VALUES ($1, 'aravalli', false, now() - interval '1 hour')`;
    await service.dataSource.query(changed, [id]);
    await readyCustomer();
  });

  it('reports a refused PAN with its code', async () => {
    const { id, api } = await aUser();
    await postPan(api, panBody(aPan({ digits: '0404' })));
    await eventually(() =>
      expect(receivedOf(id).slice(-2)).toEqual([
        `pan.refused PAN FAILED ${PanErrors.notFound.code}`,
        `journey.step.failed PAN FAILED ${PanErrors.notFound.code}`,
      ]),
    );
  });

  it('reports a review of names, its decision and what follows, from its beginning to its end', async () => {
    const { id, api } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    const body = { issuer_code: 'ARAVFIN', account_holder_full_name: 'Ravi Menon', ask_for_review: true };
    const account = payloadOf(await postBank(api, bankBody(body)));
    const started = 'bank.review_started ARAVFIN BANK';
    await eventually(() => expect(receivedOf(id)).toContain(started));
    await decideNames(service, 'accept', account.verification_id);
    await eventually(() => expect(receivedOf(id).at(-1)).toBe('journey.step.completed ARAVFIN BANK DONE'));
    expect(receivedOf(id).slice(receivedOf(id).indexOf(started) + 1)).toEqual([
      'bank.review_decided ARAVFIN BANK',
      'bank.verified BANK',
      'bank.registered ARAVFIN BANK DONE',
      'journey.step.completed ARAVFIN BANK DONE',
    ]);
  });

  it('reports the decision about a review once, when it is made, whatever happens to other accounts', async () => {
    const { id, api } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    const others = { issuer_code: 'ARAVFIN', account_holder_full_name: 'Ravi Menon' };
    const account = payloadOf(await postBank(api, bankBody({ ...others, ask_for_review: true })));
    expectRefusal(await postBank(api, bankBody(others)), BankErrors.holderDiffers);
    const refused = `journey.step.failed ARAVFIN BANK FAILED ${BankErrors.holderDiffers.code}`;
    await eventually(() => expect(receivedOf(id)).toContain(refused));
    const decisions = () => receivedOf(id).filter((event) => event.startsWith('bank.review_decided'));
    expect(decisions()).toEqual([]);
    await decideNames(service, 'refuse', account.verification_id);
    await eventually(() => expect(decisions()).toEqual(['bank.review_decided ARAVFIN BANK']));
  });

  it('reports the beginning of each review once, whatever happens to other accounts', async () => {
    const { id, api } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    const others = { issuer_code: 'ARAVFIN', account_holder_full_name: 'Ravi Menon' };
    const inReview = bankBody({ ...others, ask_for_review: true });
    await postBank(api, inReview);
    // takes the step out of the review and back
    expectRefusal(await postBank(api, bankBody(others)), BankErrors.holderDiffers);
    expect((await postBank(api, inReview)).status).toBe(202);
    expectRefusal(
      await postBank(api, bankBody({ account: anAccount('0423'), issuer_code: 'ARAVFIN' })),
      BankErrors.accountBlocked,
    );
    const started = () => receivedOf(id).filter((event) => event.startsWith('bank.review_started'));
    await eventually(() => expect(receivedOf(id).at(-1)).toContain(BankErrors.accountBlocked.code));
    expect(started()).toEqual(['bank.review_started ARAVFIN BANK']);
    await postBank(api, bankBody({ ...others, ask_for_review: true }));
    await eventually(() => expect(started()).toHaveLength(2));
  });

  it('reports the review of an account that was registered before', async () => {
    const { id, api } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    const account = payloadOf(await postBank(api, bankBody({ issuer_code: 'ARAVFIN' })));
    await eventually(() => expect(receivedOf(id)).toContain('journey.step.completed ARAVFIN BANK DONE'));
    const before = receivedOf(id).length;
    // as a former release left it, which compared other names
    await service.dataSource.query('DELETE FROM onboarding.identities WHERE user_id = $1', [id]);
    await knownAs(service, id, 'Meera Rani Reddy');
    const compared = 'UPDATE onboarding.bank_accounts SET is_compared = true WHERE id = $1';
    await service.dataSource.query(compared, [account.verification_id]);
    await runBank(service, 'recheck', ...WHO);
    await decideNames(service, 'accept', account.verification_id);
    await eventually(() =>
      expect(
        receivedOf(id)
          .slice(before)
          .filter((event) => event.startsWith('bank.')),
      ).toEqual(['bank.review_started ARAVFIN BANK', 'bank.review_decided ARAVFIN BANK']),
    );
  });

  it('sends each partner what was collected in its own app, and no other', async () => {
    const { id, phone, api } = await aUser();
    const through = await aUser(OTHER, phone);
    expect(through.id).toBe(id);
    await nominate(through.api, aNominee());
    await verifyPan(api);
    await eventually(() => expect(receivedOf(id)).toContain('journey.step.completed PAN DONE'));
    await eventually(() =>
      expect(receivedOf(id, otherReceiver)).toContain('journey.step.completed NOMINEE DONE'),
    );
    expect(receivedOf(id)).toEqual([
      'consent.given TERMS_OF_USE',
      'journey.step.completed LOGIN DONE',
      'consent.given PAN_VERIFICATION',
      'pan.verified PAN DONE',
      'journey.step.completed PAN DONE',
    ]);
    expect(receivedOf(id, otherReceiver)).toEqual([
      'consent.given TERMS_OF_USE',
      'journey.step.completed NOMINEE DONE',
    ]);
    const otherKey = await aBackendKey(service, OTHER);
    expect((await page({}, otherKey)).events.some(({ type }) => type.startsWith('pan.'))).toBe(false);
    expectRefusal(
      await backend(otherKey).get(`${EVENTS}/${receiver.of(id)[0]!.id}`),
      GeneralErrors.recordUnknown,
    );
  });

  it('reports the loss of a PAN to the partner of the person who loses it', async () => {
    const [first, later] = [await aUser(OTHER), await aUser()];
    const body = panBody();
    await verifyPan(first.api, body);
    expectRefusal(await postPan(later.api, body), PanErrors.belongsToAnotherUser);
    const ekyc = await later.api.post(issuerPath('aravalli', 'v3/check-status'), {});
    const { ekyc_request_id: request } = (ekyc.body as { payload: { ekyc_request_id: string } }).payload;
    await finishEkyc(request, 'verified', undefined, later.phone);
    await later.api.post(issuerPath('aravalli', 'v3/check-status'), {});
    await eventually(() => {
      expect(receivedOf(first.id, otherReceiver).some((event) => event.startsWith('pan.released'))).toBe(
        true,
      );
      expect(receivedOf(later.id)).toContain('pan.verified PAN DONE');
    });
    expect([otherReceiver.of(later.id), receiver.of(first.id)]).toEqual([[], []]);
  });

  it('reports consents to the partner in whose app they were given', async () => {
    const { id, api } = await aUser();
    const { body } = await api.get('/api/v1/consents');
    const [{ consent_id }] = (body as { payload: { consents: [GivenConsent] } }).payload.consents;
    await api.post(`/api/v1/consents/${consent_id}/withdraw`, {});
    await eventually(() => expect(receivedOf(id).at(-1)).toBe('consent.withdrawn TERMS_OF_USE'));
  });

  it('reports that an operator has blocked or erased a user, and nothing else of an erased one', async () => {
    const { id, phone } = await aUser();
    await runUsers(service, '', 'block', '--user', id, ...WHO);
    await eventually(() => expect(receivedOf(id).at(-1)).toBe('user.blocked'));
    const last = receiver.of(id).at(-1)!;
    await runUsers(service, '', 'unblock', '--user', id, ...WHO);
    // what was not delivered yet
    await runEvents(service, 'pause', '--url', service.partner.url);
    const { api } = await aUser(undefined, phone);
    await api.get('/api/v1/user-profile');
    await runUsers(service, '', 'erase', '--user', id, ...WHO);
    await runEvents(service, 'resume', '--url', service.partner.url);
    await eventually(() => expect(receivedOf(id).slice(-2)).toEqual(['user.blocked', 'user.erased']));
    const { events } = await page({ after: last.id });
    expect(events.filter(({ data }) => data.user_id === id).map(briefly)).toEqual(['user.erased']);
    expectRefusal(await backend().get(`${EVENTS}/${last.id}`), GeneralErrors.recordUnknown);
    await expect(runEvents(service, 'replay', '--event', last.id)).rejects.toThrow('No such event');
  });

  it('does not send an event of a person who is erased after it was leased', async () => {
    const { url } = service.partner;
    await runEvents(service, 'pause', '--url', url);
    const { id } = await aUser();
    const [leased] = await service.dataSource.query<[{ id: string }]>(
      'SELECT id FROM onboarding.partner_events WHERE user_id = $1',
      [id],
    );
    await runUsers(service, '', 'erase', '--user', id, ...WHO);
    const deliveries = service.app.get(EventDeliveries);
    expect(await deliveries.ask(await deliveries.find(leased.id))).toBeUndefined();
    await runEvents(service, 'resume', '--url', url);
    await eventually(() => expect(receivedOf(id)).toEqual(['user.erased']));
  });

  it('writes nothing for a partner that does not listen, and begins when an operator says so', async () => {
    const url = 'https://quiet.partner.example';
    await aPartner(service.dataSource, { url });
    const before = await aUser(url);
    const rows = () =>
      service.dataSource.query('SELECT id FROM onboarding.partner_events WHERE user_id = $1', [before.id]);
    expect(await rows()).toEqual([]);
    await expect(runEvents(service, 'add-key', '--url', url)).rejects.toThrow('events set first');
    await listen(service, { url });
    const ofKey = await aBackendKey(service, url);
    await before.api.get('/api/v1/user-profile');
    await eventually(async () =>
      expect((await page({}, ofKey)).events.map(briefly)).toEqual(['journey.step.completed HOME DONE']),
    );
  });

  it.each(['partner_events', 'journey_events'])(
    'commits a change with its event, or neither: %s fails',
    async (table) => {
      const { id, api } = await aUser();
      const { body } = await api.get('/api/v1/consents');
      const [{ consent_id }] = (body as { payload: { consents: [GivenConsent] } }).payload.consents;
      const phone = aPhone();
      await service.api.post('/auth/register', { phone });
      const login = verifyBody(phone, await codeOf(phone));
      /** The outcomes of the calls below, and their events. */
      const stored = () =>
        service.dataSource.query(
          `SELECT (SELECT array_agg(step || state ORDER BY step) FROM onboarding.journey_steps WHERE user_id = $1 AND state <> 'IN_PROGRESS') steps,
                (SELECT count(*) FROM onboarding.nominees WHERE user_id = $1) nominees,
                (SELECT array_agg(purpose || (withdrawn_at IS NULL) ORDER BY id) FROM onboarding.consents WHERE user_id = $1) consents,
                (SELECT array_agg(type ORDER BY id) FROM onboarding.partner_events WHERE user_id = $1) events,
                (SELECT count(*) FROM onboarding.users) users`,
          [id],
        );
      const before = await stored();
      const allowCommits = await failCommits(service.dataSource, table);
      const isOutbox = table === 'partner_events';
      const calls = [
        () => service.api.post('/auth/api/v2/register/verify', login),
        () => postPan(api),
        () => postNominee(api),
        () => postBank(api, bankBody({ issuer_code: 'ARAVFIN' })),
        ...(isOutbox ? [() => api.post(`/api/v1/consents/${consent_id}/withdraw`, {})] : []),
      ];
      try {
        for (const call of calls) expectRefusal(await call(), GeneralErrors.unavailable);
        if (isOutbox) await expect(runUsers(service, '', 'block', '--user', id, ...WHO)).rejects.toThrow();
        expect(await stored()).toEqual(before);
      } finally {
        await allowCommits();
      }
      // without the failure the same calls succeed, and their events arrive
      await verifyPan(api);
      await nominate(api);
      await eventually(() => {
        expect(receivedOf(id)).toContain('pan.verified PAN DONE');
        expect(receivedOf(id)).toContain('journey.step.completed NOMINEE DONE');
      });
    },
  );

  it('takes a partner for one that listens if it could not read the list in time', async () => {
    const { api, id } = await aUser();
    const events = service.app.get(PartnerEvents);
    Object.assign(events, { readAtMs: performance.now() - timeLimit(11_000), listening: new Set() });
    await api.get('/api/v1/user-profile');
    await eventually(() => expect(receivedOf(id)).toContain('journey.step.completed HOME DONE'));
  });

  it('reads the list before a first login during which it would become too old', async () => {
    const readAtMs = performance.now() - timeLimit(9_000);
    Object.assign(service.app.get(PartnerEvents), { readAtMs, listening: new Set() });
    const { id } = await aUser();
    await eventually(() => expect(receivedOf(id)).toContain('journey.step.completed LOGIN DONE'));
  });
});
