import type { GivenConsent } from '@fd/contracts';
import { BankErrors, PanErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal } from '@fd/testing';
import {
  bankBody,
  handOverToBankWorker,
  holdBankWorker,
  payloadOf,
  postBank,
  stopBankWorker,
} from '../support/bank.js';
import { finishEkyc } from '../support/ekyc.js';
import { briefly, EventReceiver, listen } from '../support/event-receiver.js';
import { anEmail, sendEmailCode, verifyEmail } from '../support/email.js';
import { aPhone } from '../support/inbox.js';
import { anAccount, issuerPath } from '../support/issuers.js';
import { JourneyClient } from '../support/journey-client.js';
import { as, logIn } from '../support/login.js';
import { aNominee, nominate, nomineesOf, postNominee } from '../support/nominees.js';
import { decideNames, runPan, runUsers, WHO } from '../support/operator.js';
import { knownAs, panBody, verifyPan } from '../support/pan.js';
import { aPartner } from '../support/partner.js';
import { withoutTriggers } from '../support/past-rows.js';
import { aPerson } from '../support/person.js';
import { saveDetails } from '../support/personal-details.js';
import { startService, type TestService } from '../support/users-app.js';

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

  const receivedBy = (receiver: EventReceiver | undefined, id: string) => receiver!.of(id).map(briefly);
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
    await eventually(() => expect(receivedBy(first, id)).toContain('journey.step.completed HOME DONE'));
    await runUsers(service, '', 'block', '--user', id, ...WHO);
    await eventually(() => expect(receivedBy(first, id).at(-1)).toBe('user.blocked'));
    expect(receivedBy(other, id)).toEqual([]);
  });

  it('go to the partner in whose app a step that is open in another one was begun again', async () => {
    const { id, api, there } = await twoPartners(true);
    const email = anEmail();
    await sendEmailCode(there, email);
    await verifyEmail(api, email);
    await eventually(() => expect(receivedBy(first, id)).toContain('journey.step.completed EMAIL DONE'));
    expect(receivedBy(other, id)).not.toContain('journey.step.completed EMAIL DONE');
  });

  it('report a block to no partner with which the account is no longer shared, but an erasure', async () => {
    const { id, api } = await twoPartners(true);
    await withdrawSharing(api);
    await runUsers(service, '', 'block', '--user', id, ...WHO);
    await eventually(() => expect(receivedBy(first, id).at(-1)).toBe('user.blocked'));
    await runUsers(service, '', 'unblock', '--user', id, ...WHO);
    await runUsers(service, '', 'erase', '--user', id, ...WHO);
    await eventually(() => expect(receivedBy(other, id).at(-1)).toBe('user.erased'));
    expect(receivedBy(other, id)).not.toContain('user.blocked');
  });

  it('report a block to the first partner, whose sharing counts for nothing', async () => {
    const { id, api } = await twoPartners(false);
    await api.post('/api/v1/consents', { purpose: 'PARTNER_SHARING', notice_version: '2026-11' });
    await withdrawSharing(api);
    await runUsers(service, '', 'block', '--user', id, ...WHO);
    await eventually(() => expect(receivedBy(first, id).at(-1)).toBe('user.blocked'));
  });

  it('go to the partner with which a step was begun, also when another one looks at it', async () => {
    const { id, api, there } = await twoPartners(true);
    const request = await status(api);
    await finishEkyc(request, 'verified');
    await status(there);
    await eventually(() => expect(receivedBy(first, id)).toContain('ekyc.verified ARAVFIN EKYC DONE'));
    expect(receivedBy(other, id).filter((event) => !event.startsWith('consent'))).toEqual([]);
  });

  it('go to the partner with which an eKYC was begun that ends without another call of the user', async () => {
    const { id, there } = await twoPartners(true);
    const request = await status(there);
    await finishEkyc(request, 'verified');
    // of the worker, whose polls become minutes apart
    const poll = 'UPDATE onboarding.ekyc_requests SET next_try_at = now() WHERE id = $1';
    await service.dataSource.query(poll, [request]);
    await eventually(() => expect(receivedBy(other, id)).toContain('ekyc.verified ARAVFIN EKYC DONE'));
    expect(receivedBy(first, id)).not.toContain('ekyc.verified ARAVFIN EKYC DONE');
  });

  it('go to the first partner again once the sharing is withdrawn', async () => {
    const { id, api, there } = await twoPartners(true);
    const { body } = await postNominee(there, aNominee());
    const { nominees } = (body as { payload: { nominees: [{ nominee_id: string }] } }).payload;
    await eventually(() => expect(receivedBy(other, id)).toContain('journey.step.completed NOMINEE DONE'));
    await withdrawSharing(api);
    await eventually(() => expect(receivedBy(other, id).at(-1)).toBe('consent.withdrawn PARTNER_SHARING'));
    await api.delete(`/api/v1/user-nominee/${nominees[0].nominee_id}`);
    const reopened = 'journey.step.reopened NOMINEE NOT_STARTED';
    await eventually(() => expect(receivedBy(first, id)).toContain(reopened));
    expect(receivedBy(other, id).at(-1)).toBe('consent.withdrawn PARTNER_SHARING');
  });

  it('report to the first partner that an application is ready once the sharing with its own is withdrawn', async () => {
    const person = aPerson();
    const owner = await logIn(service, person.phone);
    const customer = new JourneyClient(service.url, 'aravalli', person);
    customer.useToken(owner.access_token);
    await customer.pan();
    const there = await logIn(service, person.phone, NORTHWIND);
    customer.useToken(there.access_token);
    const { pan: number, dob } = person;
    await customer.call('POST', '/api/v1/account-confirmation', { number, dob, share_with_partner: true });
    await customer.untilBank();
    await customer.nominee();
    const ready = 'application.ready ARAVFIN';
    await eventually(() => expect(receivedBy(other, owner.user_id)).toContain(ready));
    expect(receivedBy(first, owner.user_id)).not.toContain(ready);
    await withdrawSharing(as(service.api, owner));
    await eventually(() => expect(receivedBy(first, owner.user_id).at(-1)).toBe(ready));
    expect(receivedBy(other, owner.user_id).at(-1)).toBe('consent.withdrawn PARTNER_SHARING');
  });

  it('go to the first partner once the sharing with one is withdrawn that gets no events', async () => {
    const { id, api, there } = await twoPartners(true, QUIET);
    await nominate(there);
    await withdrawSharing(api);
    await api.delete(`/api/v1/user-nominee/${(await nomineesOf(api)).nominees[0]!.nominee_id}`);
    const reopened = 'journey.step.reopened NOMINEE NOT_STARTED';
    await eventually(() => expect(receivedBy(first, id)).toContain(reopened));
    expect(receivedBy(first, id)).not.toContain('journey.step.completed NOMINEE DONE');
  });

  it('report to nobody that details must be completed again in the app of one that gets no events, and hold no lock for it', async () => {
    const owner = await logIn(service, aPhone(), QUIET);
    const api = as(service.api, owner);
    await saveDetails(api, 'nilgiri');
    await withoutTriggers(
      service,
      "UPDATE onboarding.accepted_declarations SET version = '2025-01' WHERE user_id = $1",
      [owner.user_id],
    );
    const { length } = service.logs();
    await nominate(api);
    await eventually(async () => {
      expect(
        await service.dataSource.query(
          `SELECT s.state, r.changed_at FROM onboarding.journey_steps s
             JOIN onboarding.application_readiness r ON r.user_id = s.user_id AND r.issuer_slug = s.issuer_slug
            WHERE s.user_id = $1 AND s.step = 'PERSONAL_DETAILS' AND s.issuer_slug = 'nilgiri'`,
          [owner.user_id],
        ),
      ).toEqual([{ state: 'NOT_STARTED', changed_at: null }]);
    });
    expect(service.logs().slice(length)).not.toContain('an application was not looked at');
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
      expect(receivedBy(other, id)).toContain('pan.verified PAN DONE');
      expect(receivedBy(first, id).filter((event) => event === 'pan.verified PAN DONE')).toHaveLength(1);
    });
  });

  it('go to the partner with which a bank account was given, also if another one is given later', async () => {
    const { id, api, there } = await twoPartners(true);
    const body = (issuer_code: string, account: string) =>
      bankBody({ issuer_code, account, account_holder_full_name: undefined });
    expect((await postBank(api, body('ARAVFIN', anAccount('0202')))).status).toBe(202);
    expect((await postBank(there, body('SAHCAP', anAccount()))).status).toBe(200);
    const ofBank = (receiver: EventReceiver | undefined) =>
      receivedBy(receiver, id).filter((event) => event.startsWith('bank.'));
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
        const isOfBank = (event: string) => event.startsWith('bank.') || event.includes(' BANK ');
        expect(receivedBy(receiver, id).filter(isOfBank)).toEqual(expected);
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
      const release = stopBankWorker(service);
      expect((await postBank(api, given({ account: anAccount('0202') }))).status).toBe(202);
      await holdBankWorker(service, id);
      const differing = given({ account_holder_full_name: 'Ravi Menon' });
      expectRefusal(await postBank(there, differing), holderDiffers);
      expectRefusal(await postBank(there, given({ account: anAccount('0423') })), accountBlocked);
      release();
      await handOverToBankWorker(service, id);
      await expectOfBank(first, id, ['bank.verified BANK', 'bank.registered ARAVFIN BANK DONE', completed]);
      await expectOfBank(other, id, [
        `bank.refused ARAVFIN BANK FAILED ${holderDiffers.code}`,
        `journey.step.failed ARAVFIN BANK FAILED ${holderDiffers.code}`,
        `bank.refused ARAVFIN BANK FAILED ${accountBlocked.code}`,
        `journey.step.failed ARAVFIN BANK FAILED ${accountBlocked.code}`,
      ]);
    });

    it('report to the partner of a done step that it is open again, and that of the refused account why', async () => {
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
      const release = stopBankWorker(service);
      expect((await postBank(api, body)).status).toBe(202);
      await holdBankWorker(service, id);
      expect((await postBank(there, body)).status).toBe(202);
      release();
      await handOverToBankWorker(service, id);
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
      const isRefused = (event: string) => event === `bank.refused BANK ${holderDiffers.code}`;
      await eventually(() => expect(receivedBy(other, id).filter(isRefused)).toHaveLength(1));
      expect(receivedBy(first, id).filter(isRefused)).toEqual([]);
    });

    it('go to the partner of the step if a former release has not kept that of the account', async () => {
      const { id, api, there } = await twoPartners(true);
      expect((await postBank(api, given())).status).toBe(200);
      const release = stopBankWorker(service);
      const { verification_id } = payloadOf(await postBank(there, given({ account: anAccount('0202') })));
      const forget = 'UPDATE onboarding.bank_syncs SET partner_id = NULL WHERE account_id = $1';
      await holdBankWorker(service, id);
      await service.dataSource.query(forget, [verification_id]);
      release();
      await handOverToBankWorker(service, id);
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
    const changed = (events: readonly string[]) =>
      events.filter((event) => event === 'nominee.changed NOMINEE');
    await eventually(() => expect(changed(receivedBy(first, id))).toHaveLength(3));
    expect(changed(receivedBy(other, id))).toEqual([]);
  });
});
