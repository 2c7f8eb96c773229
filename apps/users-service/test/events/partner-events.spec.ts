import { verifyEvent } from '@fd/client/server';
import type {
  GivenConsent,
  PartnerEventPayload,
  PartnerEventsPayload,
  PartnerEventView,
} from '@fd/contracts';
import { timeLimit } from '@fd/envelope';
import {
  AadhaarErrors,
  BankErrors,
  EkycErrors,
  EventErrors,
  GeneralErrors,
  LockerErrors,
  PanErrors,
} from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import { Webhook } from 'standardwebhooks';
import { Jobs } from '../../src/core/index.js';
import { PartnerEvents } from '../../src/events/outbox/partner-events.service.js';
import { bankBody, payloadOf, postBank } from '../support/bank.js';
import { anAadhaar, finishEkyc, finishLocker } from '../support/ekyc.js';
import {
  aBackendKey,
  briefly,
  EventReceiver,
  listen,
  runEvents,
  runEventsInProduction,
} from '../support/event-receiver.js';
import { anEmail, sendEmailCode, verifyEmail } from '../support/email.js';
import { aPhone, codeOf } from '../support/inbox.js';
import { anAccount, issuerPath } from '../support/issuers.js';
import { JourneyClient } from '../support/journey-client.js';
import { as, logIn } from '../support/login.js';
import { aNominee, nominate, NOMINEE_PATH, nomineesOf, postNominee } from '../support/nominees.js';
import { decideNames, refusalsOf, runBank, runPan, runPartners, runUsers, WHO } from '../support/operator.js';
import { aPan, knownAs, panBody, postPan, verifyPan } from '../support/pan.js';
import { aPartner } from '../support/partner.js';
import { aPerson } from '../support/person.js';
import { startService, type TestService } from '../support/users-app.js';

const OTHER = 'https://other.partner.example';
const EVENTS = '/partner/v1/events';

let service: TestService;
let receiver: EventReceiver;
let otherReceiver: EventReceiver;
let secret: string;
let key: string;
beforeAll(async () => {
  service = await startService({ EVENTS_TO_LOCAL_ADDRESSES: 'true' });
  [receiver, otherReceiver] = [await EventReceiver.start(), await EventReceiver.start()];
  await aPartner(service.dataSource, { url: OTHER });
  secret = await listen(service, { address: receiver.url });
  await listen(service, { url: OTHER, address: otherReceiver.url });
  key = await aBackendKey(service);
});
afterAll(async () => {
  await service.close();
  for (const each of [receiver, otherReceiver]) await each.stop();
});

const toldOf = (userId: string, at = receiver) => at.of(userId).map(briefly);
const backend = (ofKey = key): ApiClient => service.api.with({ bearer: ofKey });
const page = async (query: Record<string, string> = {}, ofKey = key): Promise<PartnerEventsPayload> => {
  const { body } = await backend(ofKey).get(EVENTS, { query });
  return (body as { payload: PartnerEventsPayload }).payload;
};
const aUser = async (partnerUrl?: string, phone = aPhone()) => {
  const user = await logIn(service, phone, partnerUrl);
  return { id: user.user_id, phone, api: as(service.api, user) };
};
/** A person whose application with Aravalli is ready to book. */
const readyCustomer = async () => {
  const customer = new JourneyClient(service.url, 'aravalli', aPerson());
  await customer.all();
  const id = (await customer.profile()).body.payload['user_id'] as string;
  await eventually(() => expect(toldOf(id).at(-1)).toBe('application.ready ARAVFIN'));
  return { customer, id };
};

describe('events for the backend of a partner', () => {
  it('tells a whole journey in its order, signed, and lets the backend read the same', async () => {
    const { id } = await readyCustomer();
    expect(toldOf(id)).toEqual([
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

  it('tells that an application is ready again after a change in the app of a partner that does not listen', async () => {
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
      expect(toldOf(id).slice(before)).toEqual([
        'nominee.changed NOMINEE',
        'journey.step.reopened NOMINEE NOT_STARTED',
        'application.ready ARAVFIN',
      ]),
    );
  });

  it('tells that an application is ready again after a change', async () => {
    const { customer, id } = await readyCustomer();
    const before = receiver.of(id).length;
    const { body } = await customer.call('GET', NOMINEE_PATH);
    const [{ nominee_id }] = body.payload['nominees'] as [{ nominee_id: string }];
    await customer.call('DELETE', `${NOMINEE_PATH}/${nominee_id}`);
    await customer.nominee();
    await eventually(() =>
      expect(toldOf(id).slice(before)).toEqual([
        'nominee.changed NOMINEE',
        'journey.step.reopened NOMINEE NOT_STARTED',
        'journey.step.completed NOMINEE DONE',
        'application.ready ARAVFIN',
      ]),
    );
    await runPan(service, '', 'release', '--user', id, ...WHO);
    await eventually(() => expect(toldOf(id)).toContain('pan.released PAN NOT_STARTED PAN_RELEASED'));
  });

  it('tells that an application is ready while another one cannot be looked at', async () => {
    const { id } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    // as with a key that is lost
    const unreadable = "UPDATE onboarding.identities SET pan_encrypted = 'v1.lost' WHERE user_id = $1";
    await service.dataSource.query(unreadable, [id]);
    const changed = `INSERT INTO onboarding.application_readiness VALUES ($1, 'aravalli', false, now() - interval '1 hour')`;
    await service.dataSource.query(changed, [id]);
    await readyCustomer();
  });

  it('tells a refused PAN with its code', async () => {
    const { id, api } = await aUser();
    await postPan(api, panBody(aPan({ digits: '0404' })));
    await eventually(() =>
      expect(toldOf(id).slice(-2)).toEqual([
        `pan.refused PAN FAILED ${PanErrors.notFound.code}`,
        `journey.step.failed PAN FAILED ${PanErrors.notFound.code}`,
      ]),
    );
  });

  it('tells a review of names, its decision and what follows, from its beginning to its end', async () => {
    const { id, api } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    const body = { issuer_code: 'ARAVFIN', account_holder_full_name: 'Ravi Menon', ask_for_review: true };
    const account = payloadOf(await postBank(api, bankBody(body)));
    const started = 'bank.review_started ARAVFIN BANK';
    await eventually(() => expect(toldOf(id)).toContain(started));
    await decideNames(service, 'accept', account.verification_id);
    await eventually(() => expect(toldOf(id).at(-1)).toBe('journey.step.completed ARAVFIN BANK DONE'));
    expect(toldOf(id).slice(toldOf(id).indexOf(started) + 1)).toEqual([
      'bank.review_decided ARAVFIN BANK',
      'bank.verified BANK',
      'bank.registered ARAVFIN BANK DONE',
      'journey.step.completed ARAVFIN BANK DONE',
    ]);
  });

  it('tells the decision about a review once, when it is made, whatever happens to other accounts', async () => {
    const { id, api } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    const others = { issuer_code: 'ARAVFIN', account_holder_full_name: 'Ravi Menon' };
    const account = payloadOf(await postBank(api, bankBody({ ...others, ask_for_review: true })));
    expectRefusal(await postBank(api, bankBody(others)), BankErrors.holderDiffers);
    const refused = `journey.step.failed ARAVFIN BANK FAILED ${BankErrors.holderDiffers.code}`;
    await eventually(() => expect(toldOf(id)).toContain(refused));
    const decisions = () => toldOf(id).filter((told) => told.startsWith('bank.review_decided'));
    expect(decisions()).toEqual([]);
    await decideNames(service, 'refuse', account.verification_id);
    await eventually(() => expect(decisions()).toEqual(['bank.review_decided ARAVFIN BANK']));
  });

  it('tells the beginning of each review once, whatever happens to other accounts', async () => {
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
    const started = () => toldOf(id).filter((told) => told.startsWith('bank.review_started'));
    await eventually(() => expect(toldOf(id).at(-1)).toContain(BankErrors.accountBlocked.code));
    expect(started()).toEqual(['bank.review_started ARAVFIN BANK']);
    await postBank(api, bankBody({ ...others, ask_for_review: true }));
    await eventually(() => expect(started()).toHaveLength(2));
  });

  it('tells the review of an account that was registered before', async () => {
    const { id, api } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    const account = payloadOf(await postBank(api, bankBody({ issuer_code: 'ARAVFIN' })));
    await eventually(() => expect(toldOf(id)).toContain('journey.step.completed ARAVFIN BANK DONE'));
    const before = toldOf(id).length;
    // as a former release left it, which compared other names
    await service.dataSource.query('DELETE FROM onboarding.identities WHERE user_id = $1', [id]);
    await knownAs(service, id, 'Meera Rani Reddy');
    const compared = 'UPDATE onboarding.bank_accounts SET is_compared = true WHERE id = $1';
    await service.dataSource.query(compared, [account.verification_id]);
    await runBank(service, 'recheck', ...WHO);
    await decideNames(service, 'accept', account.verification_id);
    await eventually(() =>
      expect(
        toldOf(id)
          .slice(before)
          .filter((told) => told.startsWith('bank.')),
      ).toEqual(['bank.review_started ARAVFIN BANK', 'bank.review_decided ARAVFIN BANK']),
    );
  });

  it('tells each partner what was collected in its own app, and no other', async () => {
    const { id, phone, api } = await aUser();
    const through = await aUser(OTHER, phone);
    expect(through.id).toBe(id);
    await nominate(through.api, aNominee());
    await verifyPan(api);
    await eventually(() => expect(toldOf(id)).toContain('journey.step.completed PAN DONE'));
    await eventually(() =>
      expect(toldOf(id, otherReceiver)).toContain('journey.step.completed NOMINEE DONE'),
    );
    expect(toldOf(id)).toEqual([
      'consent.given TERMS_OF_USE',
      'journey.step.completed LOGIN DONE',
      'consent.given PAN_VERIFICATION',
      'pan.verified PAN DONE',
      'journey.step.completed PAN DONE',
    ]);
    expect(toldOf(id, otherReceiver)).toEqual([
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

  it('tells the loss of a PAN to the partner of the person who loses it', async () => {
    const [first, later] = [await aUser(OTHER), await aUser()];
    const body = panBody();
    await verifyPan(first.api, body);
    expectRefusal(await postPan(later.api, body), PanErrors.belongsToAnotherUser);
    const ekyc = await later.api.post(issuerPath('aravalli', 'v3/check-status'), {});
    const { ekyc_request_id: request } = (ekyc.body as { payload: { ekyc_request_id: string } }).payload;
    await finishEkyc(request, 'verified', undefined, later.phone);
    await later.api.post(issuerPath('aravalli', 'v3/check-status'), {});
    await eventually(() => {
      expect(toldOf(first.id, otherReceiver).some((told) => told.startsWith('pan.released'))).toBe(true);
      expect(toldOf(later.id)).toContain('pan.verified PAN DONE');
    });
    expect([otherReceiver.of(later.id), receiver.of(first.id)]).toEqual([[], []]);
  });

  it('tells consents to the partner in whose app they were given', async () => {
    const { id, api } = await aUser();
    const { body } = await api.get('/api/v1/consents');
    const [{ consent_id }] = (body as { payload: { consents: [GivenConsent] } }).payload.consents;
    await api.post(`/api/v1/consents/${consent_id}/withdraw`, {});
    await eventually(() => expect(toldOf(id).at(-1)).toBe('consent.withdrawn TERMS_OF_USE'));
  });

  it('tells that an operator has blocked or erased a user, and nothing else of an erased one', async () => {
    const { id, phone } = await aUser();
    await runUsers(service, '', 'block', '--user', id, ...WHO);
    await eventually(() => expect(toldOf(id).at(-1)).toBe('user.blocked'));
    const last = receiver.of(id).at(-1)!;
    await runUsers(service, '', 'unblock', '--user', id, ...WHO);
    // what was not delivered yet
    await runEvents(service, 'pause', '--url', service.partner.url);
    const { api } = await aUser(undefined, phone);
    await api.get('/api/v1/user-profile');
    await runUsers(service, '', 'erase', '--user', id, ...WHO);
    await runEvents(service, 'resume', '--url', service.partner.url);
    await eventually(() => expect(toldOf(id).slice(-2)).toEqual(['user.blocked', 'user.erased']));
    const { events } = await page({ after: last.id });
    expect(events.filter(({ data }) => data.user_id === id).map(briefly)).toEqual(['user.erased']);
    expectRefusal(await backend().get(`${EVENTS}/${last.id}`), GeneralErrors.recordUnknown);
    await expect(runEvents(service, 'replay', '--event', last.id)).rejects.toThrow('No such event');
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

  it('takes a partner for one that listens if it could not read the list in time', async () => {
    const { api, id } = await aUser();
    const events = service.app.get(PartnerEvents);
    Object.assign(events, { readAtMs: -Infinity });
    await api.get('/api/v1/user-profile');
    await eventually(() => expect(toldOf(id)).toContain('journey.step.completed HOME DONE'));
  });

  it('reads the list before a first login during which it would become too old', async () => {
    const readAtMs = performance.now() - timeLimit(9_000);
    Object.assign(service.app.get(PartnerEvents), { readAtMs, listening: new Set() });
    const { id } = await aUser();
    await eventually(() => expect(toldOf(id)).toContain('journey.step.completed LOGIN DONE'));
  });
});

const LOCKER = issuerPath('kaveri', 'v1/document-locker/session');

async function openLocker(api: ApiClient, more: object = {}) {
  const { body } = await api.post(LOCKER, { consent_checked: true, ...more });
  return (body as { payload: { session_id: string; url: string } }).payload;
}

describe('events of tries that end alike', () => {
  /** Waits until the user has got these events of a kind, and no event of the user is on its way. */
  const expectTold = (id: string, kind: string, expected: readonly string[]) =>
    eventually(async () => {
      const waiting = "SELECT type FROM onboarding.partner_events WHERE user_id = $1 AND state = 'DUE'";
      expect(await service.dataSource.query(waiting, [id])).toEqual([]);
      expect(toldOf(id).filter((told) => told.startsWith(kind))).toEqual(expected);
    });
  const times = (count: number, told: string) => Array.from({ length: count }, () => told);

  it('report each PAN that is refused, also two that are looked up at once', async () => {
    const { id, api } = await aUser();
    const { notFound } = PanErrors;
    const refused = () => postPan(api, panBody(aPan({ digits: '0404' })));
    for (const answer of [await refused(), await refused()]) expectRefusal(answer, notFound);
    await inParallel(6, refused);
    await expectTold(id, 'pan.refused', times(8, `pan.refused PAN FAILED ${notFound.code}`));
    await expectTold(id, 'journey.step.failed', times(8, `journey.step.failed PAN FAILED ${notFound.code}`));
  });

  it('report each hosted eKYC that fails or expires, however often it is read', async () => {
    const { id, api } = await aUser();
    const request = async () => {
      const { body } = await api.post(issuerPath('aravalli', 'v3/check-status'), {});
      return (body as { payload: { ekyc_request_id: string } }).payload.ekyc_request_id;
    };
    await finishEkyc(await request(), 'failed');
    await finishEkyc(await request(), 'failed');
    for (let reads = 0; reads < 2; reads++) await request();
    await expectTold(id, 'ekyc.failed', times(2, 'ekyc.failed ARAVFIN EKYC FAILED EKYC_FAILED'));
    for (let tries = 0; tries < 2; tries++) await finishEkyc(await request(), 'expired');
    for (let reads = 0; reads < 2; reads++) await request();
    await expectTold(id, 'ekyc.expired', times(2, 'ekyc.expired ARAVFIN EKYC FAILED EKYC_EXPIRED'));
  });

  it('report each Aadhaar number without a mobile, and each code that shows another person', async () => {
    const { id, api } = await aUser();
    await verifyPan(api);
    const path = (call: string) => issuerPath('sahyadri', `v1/aadhaar-ekyc/${call}`);
    const send = (aadhaar_number: string) =>
      api.post(path('send-otp'), { aadhaar_number, consent_checked: true });
    const { noMobileLinked, holderDiffers } = AadhaarErrors;
    for (let tries = 0; tries < 2; tries++) expectRefusal(await send(anAadhaar('0422')), noMobileLinked);
    await expectTold(id, 'ekyc.failed', times(2, `ekyc.failed SAHCAP EKYC FAILED ${noMobileLinked.code}`));
    for (let tries = 0; tries < 2; tries++) {
      const stranger = anAadhaar('0427');
      const { body } = await send(stranger);
      const { ekyc_request_id } = (body as { payload: { ekyc_request_id: string } }).payload;
      const code = { ekyc_request_id, otp: await codeOf(stranger) };
      // the same code again is no other try
      for (let calls = 0; calls < 2; calls++) await api.post(path('verify-otp'), code);
    }
    const differs = `ekyc.failed SAHCAP EKYC FAILED ${holderDiffers.code}`;
    await expectTold(id, differs, times(2, differs));
  });

  it('report each session at the locker that is denied, however often it is read', async () => {
    const { id, api } = await aUser();
    await verifyPan(api);
    const open = (more?: object) => openLocker(api, more);
    const { consentDenied } = LockerErrors;
    const deny = async ({ session_id, url }: { session_id: string; url: string }) => {
      await finishLocker(url, 'deny');
      for (let reads = 0; reads < 2; reads++)
        expectRefusal(await api.get(`${LOCKER}/${session_id}`), consentDenied);
    };
    await deny(await open());
    // two at once
    const page = { redirection_url: 'https://app.partner.example/back' };
    for (const session of [await open(), await open(page)]) await deny(session);
    await expectTold(id, 'ekyc.failed', times(3, `ekyc.failed KAVSFB EKYC FAILED ${consentDenied.code}`));
  });

  const { holderDiffers } = BankErrors;
  const refusedBank = (count: number) =>
    times(count, `bank.refused ARAVFIN BANK FAILED ${holderDiffers.code}`);

  it('report each account and name that is refused, but not a repeat', async () => {
    const { id, api, phone } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    const refuse = async (body: object) =>
      expectRefusal(await postBank(api, bankBody({ issuer_code: 'ARAVFIN', ...body })), holderDiffers);
    // before the bank is asked
    const [account, another] = [anAccount(), anAccount()];
    for (const given of [account, another, another, account])
      await refuse({ account: given, account_holder_full_name: 'Ravi Menon' });
    await refuse({ account, account_holder_full_name: 'Meera Rani Reddy' });
    await expectTold(id, 'bank.refused', refusedBank(3));
    // by the name at the bank
    const accounts = [anAccount('1055'), anAccount('1055')];
    for (const account of accounts) await refuse({ account });
    await refuse({ account: accounts[0] });
    await expectTold(id, 'bank.refused', refusedBank(5));
    await refuse({ account: accounts[0], account_holder_full_name: 'Meera Rani Reddy' });
    // at another replica
    const user = await logIn(service, phone);
    const there = as((await service.replica()).api, user);
    const repeats = [{ account, account_holder_full_name: 'Ravi Menon' }, { account: accounts[0] }];
    for (const body of [...repeats, { account: accounts[0], account_holder_full_name: 'Meera Rani Reddy' }])
      expectRefusal(await postBank(there, bankBody({ issuer_code: 'ARAVFIN', ...body })), holderDiffers);
    await expectTold(id, 'bank.refused', refusedBank(6));
    const failed = `journey.step.failed ARAVFIN BANK FAILED ${holderDiffers.code}`;
    await expectTold(id, 'journey.step.failed', times(6, failed));
  });

  it('report an account that the worker refuses after another one, but not a repeat', async () => {
    const { id, api } = await aUser();
    const slow = {
      issuer_code: 'ARAVFIN',
      account_holder_full_name: 'Ravi Menon',
      account: anAccount('0202'),
    };
    expect((await postBank(api, bankBody(slow))).status).toBe(202);
    await knownAs(service, id, 'Asha Kumari Rao');
    expectRefusal(await postBank(api, bankBody({ ...slow, account: anAccount() })), holderDiffers);
    await expectTold(id, 'bank.refused', refusedBank(1));
    await eventually(() => expect(toldOf(id).filter((told) => told.startsWith('bank.'))).toHaveLength(2));
    expectRefusal(await postBank(api, bankBody(slow)), holderDiffers);
    await expectTold(id, 'bank.refused', refusedBank(2));
  });

  it('are told once of an account that was verified before a PAN with another name', async () => {
    const { id, api } = await aUser();
    const body = bankBody({ issuer_code: 'ARAVFIN', account_holder_full_name: 'Ravi Menon' });
    const { verification_id } = payloadOf(await postBank(api, body));
    await knownAs(service, id, 'Asha Kumari Rao');
    // before or after the worker
    expectRefusal(await postBank(api, body), holderDiffers);
    const state = 'SELECT state FROM onboarding.bank_accounts WHERE id = $1';
    await eventually(async () =>
      expect(await service.dataSource.query(state, [verification_id])).toEqual([{ state: 'MISMATCHED' }]),
    );
    await expectTold(id, 'bank.refused', refusedBank(1));
  });

  it('report further accounts although the step stays done', async () => {
    const { id, api } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    const give = (account: string) => postBank(api, bankBody({ issuer_code: 'ARAVFIN', account }));
    for (const answer of [await give(anAccount()), await give(anAccount())]) expect(answer.status).toBe(200);
    const { accountBlocked } = BankErrors;
    expectRefusal(await give(anAccount('0423')), accountBlocked);
    const differing = bankBody({ issuer_code: 'ARAVFIN', account_holder_full_name: 'Ravi Menon' });
    for (let calls = 0; calls < 2; calls++) expectRefusal(await postBank(api, differing), holderDiffers);
    await expectTold(id, 'bank.', [
      'bank.verified BANK',
      'bank.registered ARAVFIN BANK DONE',
      'bank.verified BANK',
      'bank.registered ARAVFIN BANK',
      `bank.refused ARAVFIN BANK ${accountBlocked.code}`,
      `bank.refused ARAVFIN BANK ${holderDiffers.code}`,
    ]);
    await expectTold(id, 'journey.step.failed', []);
  });

  it('report an account that is refused while another one waits once, and the step waits on', async () => {
    const { id, api } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    const give = (account: string) => postBank(api, bankBody({ issuer_code: 'ARAVFIN', account }));
    expect((await give(anAccount('0202'))).status).toBe(202);
    const { accountBlocked } = BankErrors;
    const refused = [anAccount('0423'), anAccount('1055')];
    const differing = bankBody({ issuer_code: 'ARAVFIN', account_holder_full_name: 'Ravi Menon' });
    for (let calls = 0; calls < 2; calls++) {
      expectRefusal(await give(refused[0]!), accountBlocked);
      expectRefusal(await give(refused[1]!), holderDiffers);
      expectRefusal(await postBank(api, differing), holderDiffers);
    }
    const { body } = await api.get(issuerPath('aravalli', 'v1/journey'));
    expect((body as { payload: { steps: object[] } }).payload.steps).toContainEqual(
      expect.objectContaining({ step: 'BANK', status: 'IN_PROGRESS' }),
    );
    await expectTold(id, 'bank.', [
      `bank.refused ARAVFIN BANK FAILED ${accountBlocked.code}`,
      ...refusedBank(2),
      'bank.verified BANK',
      'bank.registered ARAVFIN BANK DONE',
    ]);
  });

  it('report a refused account or name without an issuer, but not a repeat', async () => {
    const { id, api } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    const { accountBlocked } = BankErrors;
    expectRefusal(await postBank(api, bankBody({ account: anAccount('0423') })), accountBlocked);
    const differing = bankBody({ account_holder_full_name: 'Ravi Menon' });
    for (let calls = 0; calls < 2; calls++) expectRefusal(await postBank(api, differing), holderDiffers);
    await expectTold(id, 'bank.', [
      `bank.refused BANK ${accountBlocked.code}`,
      `bank.refused BANK ${holderDiffers.code}`,
    ]);
  });

  it('report a PAN that is refused after another one of two that were looked up at once', async () => {
    const { id, api } = await aUser();
    const slow = Promise.resolve(postPan(api, panBody(aPan({ digits: '0202' }))));
    await eventually(async () => {
      const running = 'SELECT id FROM onboarding.pan_checks WHERE user_id = $1';
      expect(await service.dataSource.query(running, [id])).toHaveLength(1);
    });
    const { body } = await postPan(api, panBody());
    expect(body).toMatchObject({ success: 1 });
    // refused up front, so it is no try
    const { anotherPanVerified } = PanErrors;
    expectRefusal(await postPan(api, panBody()), anotherPanVerified);
    await slow;
    const refused = [`pan.refused PAN ${anotherPanVerified.code}`];
    await eventually(() =>
      expect(toldOf(id).filter((told) => told.startsWith('pan.refused'))).toEqual(refused),
    );
    await expectTold(id, 'pan.', ['pan.verified PAN DONE', ...refused]);
    await expectTold(id, 'journey.step.failed', []);
  });

  it('report a session at the locker that is denied after another one has completed the eKYC', async () => {
    const { id, api } = await aUser();
    await verifyPan(api);
    const open = (more?: object) => openLocker(api, more);
    const [denied, allowed] = [
      await open(),
      await open({ redirection_url: 'https://app.partner.example/back' }),
    ];
    await finishLocker(allowed.url, 'allow');
    expect((await api.get(`${LOCKER}/${allowed.session_id}`)).status).toBe(200);
    await finishLocker(denied.url, 'deny');
    const { consentDenied } = LockerErrors;
    for (let reads = 0; reads < 2; reads++)
      expectRefusal(await api.get(`${LOCKER}/${denied.session_id}`), consentDenied);
    // refused up front, so it is no try
    expectRefusal(await api.post(LOCKER, { consent_checked: true }), EkycErrors.alreadyVerified);
    await expectTold(id, 'ekyc.', [
      'ekyc.verified KAVSFB EKYC DONE',
      `ekyc.failed KAVSFB EKYC ${consentDenied.code}`,
    ]);
    await expectTold(id, 'journey.step.failed', []);
  });
});

describe('the calls of a backend', () => {
  it('read on behind the last event, in pages', async () => {
    const users = [await aUser(), await aUser(), await aUser()];
    const ids = users.map(({ id }) => id);
    await eventually(() => expect(ids.every((id) => receiver.of(id).length === 2)).toBe(true));
    const read: PartnerEventView[] = [];
    for (let after: string | undefined; ;) {
      const { events, has_more } = await page({ limit: '2', ...(after && { after }) });
      read.push(...events);
      if (!has_more) break;
      expect(events).toHaveLength(2);
      after = events.at(-1)!.id;
    }
    const once = [...new Map(receiver.tries.map(({ event }) => [event.id, event])).values()];
    expect(new Set(read.map(({ id }) => id)).size).toBe(read.length);
    for (const id of ids) {
      const own = (events: PartnerEventView[]) => events.filter(({ data }) => data.user_id === id);
      expect(own(read)).toEqual(own(once));
    }
    expect(await page({ after: read.at(-1)!.id })).toEqual({ events: [], has_more: false });
  });

  it.each(['abc', '', '0191f5c0-0000-7000-8000-000000000000', '1 OR 1=1'])(
    'refuse %j as the last event',
    async (after) => {
      expectRefusal(await backend().get(EVENTS, { query: { after } }), EventErrors.cursorUnknown);
    },
  );

  it.each(['0', '101', '-1', '1.5', 'many'])('refuse a page of %s events', async (limit) => {
    expectRefusal(await backend().get(EVENTS, { query: { limit } }), GeneralErrors.fieldInvalid);
  });

  it('need a valid key: a session of a user, another key, and a removed key open nothing', async () => {
    const { url } = service.partner;
    const user = await logIn(service);
    for (const bearer of [user.access_token, user.refresh_token, 'fdb_wrong', `${key}x`])
      expectRefusal(await service.api.with({ bearer }).get(EVENTS), EventErrors.keyInvalid);
    expectRefusal(await service.api.get(EVENTS), EventErrors.keyInvalid);
    const added = await runEvents(service, 'add-key', '--url', url);
    const [, id, second] = /key\t(\S+)\t(\S+)/.exec(added)!;
    await expect(runEvents(service, 'add-key', '--url', url)).rejects.toThrow('two keys already');
    expect((await backend(second).get(EVENTS)).status).toBe(200);
    await runEvents(service, 'remove-key', '--url', url, '--key', id!);
    expectRefusal(await backend(second).get(EVENTS), EventErrors.keyInvalid);
    await expect(runEvents(service, 'remove-key', '--url', url, '--key', id!)).rejects.toThrow('no such key');
    expect((await backend().get(EVENTS)).status).toBe(200);
    // a key is no session of a user
    expect((await backend().get('/api/v1/user-profile')).status).toBe(401);
    const rows = JSON.stringify(await service.dataSource.query('SELECT * FROM onboarding.backend_keys'));
    expect(rows).not.toContain(key);
  });

  it('are refused while the partner is disabled, whose events wait until it is enabled', async () => {
    const url = 'https://stopped.partner.example';
    const at = await EventReceiver.start();
    await aPartner(service.dataSource, { url });
    await listen(service, { url, address: at.url });
    const ofKey = await aBackendKey(service, url);
    const { id } = await aUser(url);
    await eventually(() => expect(toldOf(id, at)).toHaveLength(2));
    await runPartners(service, 'disable', '--url', url, ...WHO);
    expectRefusal(await backend(ofKey).get(EVENTS), EventErrors.keyInvalid);
    await expect(runEvents(service, 'resume', '--url', url)).rejects.toThrow('partners enable');
    await runUsers(service, '', 'block', '--user', id, ...WHO);
    await runPartners(service, 'enable', '--url', url, ...WHO);
    expect((await backend(ofKey).get(EVENTS)).status).toBe(200);
    await eventually(() => expect(toldOf(id, at).at(-1)).toBe('user.blocked'));
    await at.stop();
  });

  it('are not set up for a disabled partner', async () => {
    const url = 'https://over.partner.example';
    await aPartner(service.dataSource, { url });
    await runPartners(service, 'disable', '--url', url, ...WHO);
    await expect(runEvents(service, 'set', '--url', url)).rejects.toThrow('partners enable first');
  });

  it('read an event for 30 days', async () => {
    const { id } = await aUser();
    await eventually(() => expect(receiver.of(id)).toHaveLength(2));
    const [old, kept] = receiver.of(id).map((event) => event.id);
    for (const [event, days] of [
      [old, 31],
      [kept, 29],
    ])
      await service.dataSource.query(
        'UPDATE onboarding.partner_events SET occurred_at = now() - make_interval(days => $2) WHERE id = $1',
        [event, days],
      );
    await service.app.get(Jobs).runCleanup();
    expectRefusal(await backend().get(`${EVENTS}/${old}`), GeneralErrors.recordUnknown);
    expectRefusal(await backend().get(EVENTS, { query: { after: old! } }), EventErrors.cursorUnknown);
    expect((await backend().get(EVENTS, { query: { after: kept! } })).status).toBe(200);
  });

  it('show an event of their own only', async () => {
    const { id } = await aUser();
    await eventually(() => expect(receiver.of(id)).toHaveLength(2));
    const [event] = receiver.of(id);
    const { body } = await backend().get(`${EVENTS}/${event!.id}`);
    expect((body as { payload: PartnerEventPayload }).payload.event).toEqual(event);
    for (const unknown of ['abc', '0191f5c0-0000-7000-8000-000000000000']) {
      expectRefusal(await backend().get(`${EVENTS}/${unknown}`), GeneralErrors.recordUnknown);
      expectRefusal(await backend().post(`${EVENTS}/${unknown}/replay`, {}), GeneralErrors.recordUnknown);
    }
  });
});

describe('the command events', () => {
  const { url } = { url: 'https://app.partner.example' };

  it.each([
    [['set', '--url', url, '--signing', 'rsa'], '--signing must be hmac or ed25519'],
    [['set', '--url', url, '--address', 'ftp://partner.example'], '--address must begin with https://'],
    [['set', '--url', 'https://nobody.example'], 'is not registered'],
    [['show', '--event', 'abc'], '--event must be the id of an event'],
    [['show', '--event', '0191f5c0-0000-7000-8000-000000000000'], 'There is no such event'],
    [['replay', '--url', url, '--since', 'yesterday'], 'a time in ISO 8601'],
    [['dance'], 'events: list, show'],
  ])('refuses %j', async (args, problem) => {
    await expect(runEvents(service, ...args)).rejects.toThrow(problem);
  });

  it.each(['http://hooks.partner.example/', 'https://127.0.0.1/', 'https://[::ffff:10.0.0.1]/'])(
    'refuses the address %s in production',
    async (address) => {
      const set = runEventsInProduction(service, 'set', '--url', url, '--address', address);
      await expect(set).rejects.toThrow('--address must be');
    },
  );

  it('shows an event without personal data, and records who has seen it', async () => {
    const { id, phone } = await aUser();
    await eventually(() => expect(receiver.of(id)).toHaveLength(2));
    const event = receiver.of(id)[1]!;
    const shown = await runEvents(service, 'show', '--event', event.id);
    expect(shown).toContain(`${event.id}\tjourney.step.completed\t`);
    expect(shown).toContain('-\tLOGIN\tDONE\t-\n');
    expect(shown).not.toContain(phone);
    await runEvents(service, 'list');
    await runEvents(service, 'replay', '--event', event.id);
    const recorded = await service.dataSource.query(
      `SELECT actor, action, subject_user_id, outcome FROM onboarding.audit_unsealed WHERE object_id = $1 OR action = 'EVENTS_LISTED'
        UNION ALL SELECT actor, action, subject_user_id, outcome FROM onboarding.audit_events WHERE object_id = $1 OR action = 'EVENTS_LISTED'`,
      [event.id],
    );
    const by = (act: string, action: string, subject_user_id: string | null) => ({
      ...{ actor: `operator:events ${act} by asha-rao`, action, subject_user_id, outcome: 'OK' },
    });
    expect(recorded).toEqual(
      expect.arrayContaining([
        by('show', 'EVENT_READ', id),
        by('list', 'EVENTS_LISTED', null),
        by('replay', 'EVENTS_REPLAYED', null),
      ]),
    );
    const unknown = '0191f5c0-0000-7000-8000-000000000000';
    await expect(runEvents(service, 'show', '--event', unknown)).rejects.toThrow('no such event');
    expect(await refusalsOf(service, unknown)).toContainEqual(
      expect.objectContaining({ actor: 'operator:events show by asha-rao' }),
    );
  });

  it('records each act with its operator', async () => {
    const own = 'https://audited.partner.example';
    await aPartner(service.dataSource, { url: own });
    await listen(service, { url: own });
    const key = /key\t(\S+)\t/.exec(await runEvents(service, 'add-key', '--url', own))![1]!;
    for (const act of ['remove-key', 'roll-secret', 'remove-secret', 'pause', 'resume', 'replay'])
      await runEvents(
        service,
        ...[act, '--url', own],
        ...(act === 'remove-key' ? ['--key', key] : []),
        ...(act === 'replay' ? ['--since', new Date().toISOString()] : []),
      );
    const of = `JOIN onboarding.partners p ON p.id = a.object_id AND p.url = $1`;
    const recorded = await service.dataSource.query(
      `SELECT a.actor, a.action, a.code FROM onboarding.audit_unsealed a ${of}
        UNION ALL SELECT a.actor, a.action, a.code FROM onboarding.audit_events a ${of}`,
      [own],
    );
    const by = (act: string, action: string) => ({
      actor: `operator:events ${act} by asha-rao`,
      action,
      code: 'TICKET_4711',
    });
    expect(recorded).toEqual(
      expect.arrayContaining([
        by('set', 'EVENTS_SET'),
        by('add-key', 'EVENTS_KEY_CHANGED'),
        by('remove-key', 'EVENTS_KEY_CHANGED'),
        by('roll-secret', 'EVENTS_SECRET_CHANGED'),
        by('remove-secret', 'EVENTS_SECRET_CHANGED'),
        by('pause', 'EVENTS_PAUSED'),
        by('resume', 'EVENTS_RESUMED'),
        by('replay', 'EVENTS_REPLAYED'),
      ]),
    );
  });

  it('keeps events for reading only without an address, and sends no old ones to a new address', async () => {
    const own = 'https://reads.partner.example';
    await aPartner(service.dataSource, { url: own });
    await listen(service, { url: own });
    const old = await aUser(own);
    const ofKey = await aBackendKey(service, own);
    await eventually(async () => expect((await page({}, ofKey)).events).toHaveLength(2));
    await listen(service, { url: own, address: otherReceiver.url });
    const { id } = await aUser(own);
    await eventually(() => expect(otherReceiver.of(id)).toHaveLength(2));
    expect(otherReceiver.of(old.id)).toEqual([]);
    await listen(service, { url: own, address: 'none' });
    expect(await runEvents(service, 'list')).toContain('read only\thmac\tactive');
  });
});

const NORTHWIND = 'https://invest.northwind.example';
/** Gets no events. */
const QUIET = 'https://quiet.partner.example';

describe('events about an account of another partner', () => {
  let service: TestService;
  let [first, other]: EventReceiver[] = [];
  beforeAll(async () => {
    service = await startService({ EVENTS_TO_LOCAL_ADDRESSES: 'true', SEPARATE_PARTNERS: 'true' });
    [first, other] = [await EventReceiver.start(), await EventReceiver.start()];
    for (const url of [NORTHWIND, QUIET]) await aPartner(service.dataSource, { url });
    await listen(service, { address: first.url });
    await listen(service, { url: NORTHWIND, address: other.url });
  });
  afterAll(async () => {
    await service.close();
    await first!.stop();
    await other!.stop();
  });

  const toldTo = (receiver: EventReceiver | undefined, id: string) => receiver!.of(id).map(briefly);
  const status = async (api: ApiClient) => {
    const { body } = await api.post(issuerPath('aravalli', 'v3/check-status'), {});
    return (body as { payload: { ekyc_request_id: string } }).payload.ekyc_request_id;
  };
  /** A user with a PAN, and a confirmed session with the other partner. */
  const twoPartners = async (share_with_partner: boolean, url = NORTHWIND) => {
    const phone = aPhone();
    const owner = await logIn(service, phone);
    const api = as(service.api, owner);
    const { number, dob } = await verifyPan(api, panBody());
    const there = as(service.api, await logIn(service, phone, url));
    await there.post('/api/v1/account-confirmation', { number, dob, share_with_partner });
    return { id: owner.user_id, api, there };
  };
  const withdrawSharing = async (api: ApiClient): Promise<void> => {
    const { body } = await api.get('/api/v1/consents');
    const { consents } = (body as { payload: { consents: GivenConsent[] } }).payload;
    const sharing = consents.find(({ purpose }) => purpose === 'PARTNER_SHARING');
    await api.post(`/api/v1/consents/${sharing!.consent_id}/withdraw`, {});
  };

  it('go to the first partner alone without sharing, also of what is read in the other app', async () => {
    const { id, there } = await twoPartners(false);
    await there.get('/api/v1/user-profile');
    await eventually(() => expect(toldTo(first, id)).toContain('journey.step.completed HOME DONE'));
    await runUsers(service, '', 'block', '--user', id, ...WHO);
    await eventually(() => expect(toldTo(first, id).at(-1)).toBe('user.blocked'));
    expect(toldTo(other, id)).toEqual([]);
  });

  it('go to the partner in whose app a step that is open in another one was begun again', async () => {
    const { id, api, there } = await twoPartners(true);
    const email = anEmail();
    await sendEmailCode(there, email);
    await verifyEmail(api, email);
    await eventually(() => expect(toldTo(first, id)).toContain('journey.step.completed EMAIL DONE'));
    expect(toldTo(other, id)).not.toContain('journey.step.completed EMAIL DONE');
  });

  it('tell a block to no partner with which the account is no longer shared, but an erasure', async () => {
    const { id, api } = await twoPartners(true);
    await withdrawSharing(api);
    await runUsers(service, '', 'block', '--user', id, ...WHO);
    await eventually(() => expect(toldTo(first, id).at(-1)).toBe('user.blocked'));
    await runUsers(service, '', 'unblock', '--user', id, ...WHO);
    await runUsers(service, '', 'erase', '--user', id, ...WHO);
    await eventually(() => expect(toldTo(other, id).at(-1)).toBe('user.erased'));
    expect(toldTo(other, id)).not.toContain('user.blocked');
  });

  it('tell a block to the first partner, whose sharing counts for nothing', async () => {
    const { id, api } = await twoPartners(false);
    await api.post('/api/v1/consents', { purpose: 'PARTNER_SHARING', notice_version: '2026-11' });
    await withdrawSharing(api);
    await runUsers(service, '', 'block', '--user', id, ...WHO);
    await eventually(() => expect(toldTo(first, id).at(-1)).toBe('user.blocked'));
  });

  it('go to the partner with which a step was begun, whoever looks at it', async () => {
    const { id, api, there } = await twoPartners(true);
    const request = await status(api);
    await finishEkyc(request, 'verified');
    await status(there);
    await eventually(() => expect(toldTo(first, id)).toContain('ekyc.verified ARAVFIN EKYC DONE'));
    expect(toldTo(other, id).filter((told) => !told.startsWith('consent'))).toEqual([]);
  });

  it('go to the first partner again once the sharing is withdrawn', async () => {
    const { id, api, there } = await twoPartners(true);
    const { body } = await postNominee(there, aNominee());
    const { nominees } = (body as { payload: { nominees: [{ nominee_id: string }] } }).payload;
    await eventually(() => expect(toldTo(other, id)).toContain('journey.step.completed NOMINEE DONE'));
    await withdrawSharing(api);
    await eventually(() => expect(toldTo(other, id).at(-1)).toBe('consent.withdrawn PARTNER_SHARING'));
    await api.delete(`/api/v1/user-nominee/${nominees[0].nominee_id}`);
    const reopened = 'journey.step.reopened NOMINEE NOT_STARTED';
    await eventually(() => expect(toldTo(first, id)).toContain(reopened));
    expect(toldTo(other, id).at(-1)).toBe('consent.withdrawn PARTNER_SHARING');
  });

  it('go to the first partner once the sharing with one is withdrawn that gets no events', async () => {
    const { id, api, there } = await twoPartners(true, QUIET);
    await nominate(there);
    await withdrawSharing(api);
    await api.delete(`/api/v1/user-nominee/${(await nomineesOf(api)).nominees[0]!.nominee_id}`);
    const reopened = 'journey.step.reopened NOMINEE NOT_STARTED';
    await eventually(() => expect(toldTo(first, id)).toContain(reopened));
    expect(toldTo(first, id)).not.toContain('journey.step.completed NOMINEE DONE');
  });

  it('go to the partner in whose app the last look-up of a PAN was begun', async () => {
    const phone = aPhone();
    const owner = await logIn(service, phone);
    const { user_id: id } = owner;
    const { number, dob } = await verifyPan(as(service.api, owner), panBody());
    const there = as(service.api, await logIn(service, phone, NORTHWIND));
    await there.post('/api/v1/account-confirmation', { number, dob, share_with_partner: true });
    await runPan(service, '', 'release', '--user', id, ...WHO);
    // as a look-up of the first app that still runs
    const running = `UPDATE onboarding.journey_steps SET state = 'IN_PROGRESS', reason = $2 WHERE user_id = $1 AND step = 'PAN'`;
    await service.dataSource.query(running, [id, PanErrors.pending.code]);
    await verifyPan(there, panBody());
    await eventually(() => {
      expect(toldTo(other, id)).toContain('pan.verified PAN DONE');
      expect(toldTo(first, id).filter((told) => told === 'pan.verified PAN DONE')).toHaveLength(1);
    });
  });

  it('go to the partner with which a bank account was given, also if another one is given later', async () => {
    const { id, api, there } = await twoPartners(true);
    const body = (issuer_code: string, account: string) =>
      bankBody({ issuer_code, account, account_holder_full_name: undefined });
    expect((await postBank(api, body('ARAVFIN', anAccount('0202')))).status).toBe(202);
    expect((await postBank(there, body('SAHCAP', anAccount()))).status).toBe(200);
    const ofBank = (receiver: EventReceiver | undefined) =>
      toldTo(receiver, id).filter((told) => told.startsWith('bank.'));
    await eventually(() => {
      expect(ofBank(first)).toEqual(['bank.verified BANK', 'bank.registered ARAVFIN BANK DONE']);
      expect(ofBank(other)).toEqual(['bank.verified BANK', 'bank.registered SAHCAP BANK DONE']);
    });
  });

  describe('that has accounts of two partners at one issuer', () => {
    const given = (more: object = {}) =>
      bankBody({ issuer_code: 'ARAVFIN', account_holder_full_name: undefined, ...more });
    const expectOfBank = (receiver: EventReceiver | undefined, id: string, expected: readonly string[]) =>
      eventually(async () => {
        const waiting = "SELECT type FROM onboarding.partner_events WHERE user_id = $1 AND state = 'DUE'";
        expect(await service.dataSource.query(waiting, [id])).toEqual([]);
        const isOfBank = (told: string) => told.startsWith('bank.') || told.includes(' BANK ');
        expect(toldTo(receiver, id).filter(isOfBank)).toEqual(expected);
      });
    const completed = 'journey.step.completed ARAVFIN BANK DONE';
    const { accountBlocked, holderDiffers } = BankErrors;

    it('go to the partner of each account, also where the step is done', async () => {
      const { id, api, there } = await twoPartners(true);
      expect((await postBank(api, given())).status).toBe(200);
      expect((await postBank(there, given())).status).toBe(200);
      expectRefusal(await postBank(there, given({ account: anAccount('0423') })), accountBlocked);
      const inReview = given({ account_holder_full_name: 'Ravi Menon', ask_for_review: true });
      const { verification_id } = payloadOf(await postBank(there, inReview));
      await decideNames(service, 'accept', verification_id);
      await expectOfBank(other, id, [
        'bank.verified BANK',
        'bank.registered ARAVFIN BANK',
        `bank.refused ARAVFIN BANK ${accountBlocked.code}`,
        'bank.review_started ARAVFIN BANK',
        'bank.review_decided ARAVFIN BANK',
        'bank.verified BANK',
        'bank.registered ARAVFIN BANK',
      ]);
      await expectOfBank(first, id, ['bank.verified BANK', 'bank.registered ARAVFIN BANK DONE', completed]);
    });

    it('go to the partner of the account or name that ends, not of a later one', async () => {
      const { id, api, there } = await twoPartners(true);
      expect((await postBank(api, given({ account: anAccount('0202') }))).status).toBe(202);
      const differing = given({ account_holder_full_name: 'Ravi Menon' });
      expectRefusal(await postBank(there, differing), holderDiffers);
      expectRefusal(await postBank(there, given({ account: anAccount('0423') })), accountBlocked);
      await expectOfBank(first, id, ['bank.verified BANK', 'bank.registered ARAVFIN BANK DONE', completed]);
      await expectOfBank(other, id, [
        `bank.refused ARAVFIN BANK FAILED ${holderDiffers.code}`,
        `journey.step.failed ARAVFIN BANK FAILED ${holderDiffers.code}`,
        `bank.refused ARAVFIN BANK FAILED ${accountBlocked.code}`,
        `journey.step.failed ARAVFIN BANK FAILED ${accountBlocked.code}`,
      ]);
    });

    it('tell the partner of a done step that it is open again, and that of the refused account why', async () => {
      const { id, api, there } = await twoPartners(true);
      const accounts = [anAccount(), anAccount()];
      const [mine, theirs] = [
        payloadOf(await postBank(api, given({ account: accounts[0] }))),
        payloadOf(await postBank(there, given({ account: accounts[1] }))),
      ];
      await expectOfBank(first, id, ['bank.verified BANK', 'bank.registered ARAVFIN BANK DONE', completed]);
      // as a former release left them, which compared other names
      const another = "UPDATE onboarding.bank_accounts SET name_review = 'WAITING' WHERE id IN ($1, $2)";
      await service.dataSource.query(another, [mine.verification_id, theirs.verification_id]);
      for (const { verification_id } of [mine, theirs]) await decideNames(service, 'refuse', verification_id);
      const refused = `bank.refused ARAVFIN BANK`;
      await expectOfBank(first, id, [
        'bank.verified BANK',
        'bank.registered ARAVFIN BANK DONE',
        completed,
        'bank.review_decided ARAVFIN BANK',
        `${refused} ${holderDiffers.code}`,
        'journey.step.reopened ARAVFIN BANK NOT_STARTED',
      ]);
      await expectOfBank(other, id, [
        'bank.verified BANK',
        'bank.registered ARAVFIN BANK',
        'bank.review_decided ARAVFIN BANK',
        `${refused} FAILED ${holderDiffers.code}`,
        `journey.step.failed ARAVFIN BANK FAILED ${holderDiffers.code}`,
      ]);
    });

    it('go to the partner that gives an account again while it is not registered, and not later', async () => {
      const { id, api, there } = await twoPartners(true);
      const body = given({ account: anAccount('0202') });
      for (const each of [api, there]) expect((await postBank(each, body)).status).toBe(202);
      const verified = ['bank.verified BANK', 'bank.registered ARAVFIN BANK DONE', completed];
      await expectOfBank(other, id, verified);
      const { verification_id } = payloadOf(await postBank(api, body));
      const another = "UPDATE onboarding.bank_accounts SET name_review = 'WAITING' WHERE id = $1";
      await service.dataSource.query(another, [verification_id]);
      await decideNames(service, 'accept', verification_id);
      await expectOfBank(other, id, [...verified, 'bank.review_decided ARAVFIN BANK']);
      await expectOfBank(first, id, []);
    });

    it('go to the partner of an account that no issuer has, when its names differ later', async () => {
      const { id, api, there } = await twoPartners(true);
      expectRefusal(
        await postBank(there, given({ account: anAccount('1454') })),
        BankErrors.beneficiaryInvalid,
      );
      await runPan(service, '', 'release', '--user', id, ...WHO);
      await knownAs(service, id, 'Meera Rani Reddy');
      const [account] = await service.dataSource.query<[{ id: string }]>(
        'SELECT id FROM onboarding.bank_accounts WHERE user_id = $1',
        [id],
      );
      expectRefusal(await api.get(`/api/v1/bank/verification/${account.id}`), holderDiffers);
      const isRefused = (told: string) => told === `bank.refused BANK ${holderDiffers.code}`;
      await eventually(() => expect(toldTo(other, id).filter(isRefused)).toHaveLength(1));
      expect(toldTo(first, id).filter(isRefused)).toEqual([]);
    });

    it('go to the partner of the step if a former release has not kept that of the account', async () => {
      const { id, api, there } = await twoPartners(true);
      expect((await postBank(api, given())).status).toBe(200);
      const { verification_id } = payloadOf(await postBank(there, given({ account: anAccount('0202') })));
      const forget = 'UPDATE onboarding.bank_syncs SET partner_id = NULL WHERE account_id = $1';
      await service.dataSource.query(forget, [verification_id]);
      await expectOfBank(first, id, [
        'bank.verified BANK',
        'bank.registered ARAVFIN BANK DONE',
        completed,
        'bank.verified BANK',
        'bank.registered ARAVFIN BANK',
      ]);
      await expectOfBank(other, id, []);
    });
  });

  it('go to the partner with which nominees were named, whichever app changes them', async () => {
    const { id, api, there } = await twoPartners(true);
    const half = aNominee({ share_percentage: 50 });
    const { nominee_id } = await nominate(api, half);
    await nominate(there, half);
    await there.put(
      `/api/v1/user-nominee/${nominee_id}`,
      aNominee({ name: 'Asha Rao', share_percentage: 50 }),
    );
    // what the form shows, without a change
    await api.put(`/api/v1/user-nominee/${nominee_id}`, aNominee({ name: 'Asha Rao', share_percentage: 50 }));
    await there.delete(`/api/v1/user-nominee/${nominee_id}`);
    const changed = (told: readonly string[]) => told.filter((event) => event === 'nominee.changed NOMINEE');
    await eventually(() => expect(changed(toldTo(first, id))).toHaveLength(3));
    expect(changed(toldTo(other, id))).toEqual([]);
  });
});
