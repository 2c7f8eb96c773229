import { AadhaarErrors, BankErrors, EkycErrors, LockerErrors, PanErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import {
  bankBody,
  handOverToBankWorker,
  holdBankWorker,
  payloadOf,
  postBank,
  stopBankWorker,
} from '../support/bank.js';
import { PanService } from '../../src/kyc/pan/pan.service.js';
import { anAadhaar, finishEkyc, finishLocker } from '../support/ekyc.js';
import { codeOf } from '../support/inbox.js';
import { anAccount, issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { aPan, knownAs, panBody, postPan, verifyPan } from '../support/pan.js';
import type { TestService } from '../support/users-app.js';
import { EventScene } from '../support/event-scene.js';

const scene = new EventScene();
const { receivedOf, aUser } = scene;
let service: TestService;
beforeAll(async () => {
  ({ service } = await scene.start());
});
afterAll(() => scene.stop());

const LOCKER = issuerPath('kaveri', 'v1/document-locker/session');

async function openLocker(api: ApiClient, more: object = {}) {
  const { body } = await api.post(LOCKER, { consent_checked: true, ...more });
  return (body as { payload: { session_id: string; url: string } }).payload;
}

describe('events of tries that end alike', () => {
  /** Waits until the user has got these events of a kind, and no event of the user is on its way. */
  const expectReceived = (id: string, kind: string, expected: readonly string[]) =>
    eventually(async () => {
      const waiting = "SELECT type FROM onboarding.partner_events WHERE user_id = $1 AND state = 'DUE'";
      expect(await service.dataSource.query(waiting, [id])).toEqual([]);
      expect(receivedOf(id).filter((event) => event.startsWith(kind))).toEqual(expected);
    });
  const times = (count: number, event: string) => Array.from({ length: count }, () => event);

  it('report each PAN that is refused, also two that are looked up at once', async () => {
    const { id, api } = await aUser();
    const { notFound } = PanErrors;
    const refused = () => postPan(api, panBody(aPan({ digits: '0404' })));
    for (const answer of [await refused(), await refused()]) expectRefusal(answer, notFound);
    await inParallel(6, refused);
    await expectReceived(id, 'pan.refused', times(8, `pan.refused PAN FAILED ${notFound.code}`));
    await expectReceived(
      id,
      'journey.step.failed',
      times(8, `journey.step.failed PAN FAILED ${notFound.code}`),
    );
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
    await expectReceived(id, 'ekyc.failed', times(2, 'ekyc.failed ARAVFIN EKYC FAILED EKYC_FAILED'));
    for (let tries = 0; tries < 2; tries++) await finishEkyc(await request(), 'expired');
    for (let reads = 0; reads < 2; reads++) await request();
    await expectReceived(id, 'ekyc.expired', times(2, 'ekyc.expired ARAVFIN EKYC FAILED EKYC_EXPIRED'));
  });

  it('report each Aadhaar number without a mobile, and each code that shows another person', async () => {
    const { id, api } = await aUser();
    await verifyPan(api);
    const path = (call: string) => issuerPath('sahyadri', `v1/aadhaar-ekyc/${call}`);
    const send = (aadhaar_number: string) =>
      api.post(path('send-otp'), { aadhaar_number, consent_checked: true });
    const { noMobileLinked, holderDiffers } = AadhaarErrors;
    for (let tries = 0; tries < 2; tries++) expectRefusal(await send(anAadhaar('0422')), noMobileLinked);
    await expectReceived(
      id,
      'ekyc.failed',
      times(2, `ekyc.failed SAHCAP EKYC FAILED ${noMobileLinked.code}`),
    );
    for (let tries = 0; tries < 2; tries++) {
      const stranger = anAadhaar('0427');
      const { body } = await send(stranger);
      const { ekyc_request_id } = (body as { payload: { ekyc_request_id: string } }).payload;
      const code = { ekyc_request_id, otp: await codeOf(stranger) };
      // the same code again is no other try
      for (let calls = 0; calls < 2; calls++) await api.post(path('verify-otp'), code);
    }
    const differs = `ekyc.failed SAHCAP EKYC FAILED ${holderDiffers.code}`;
    await expectReceived(id, differs, times(2, differs));
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
    await expectReceived(id, 'ekyc.failed', times(3, `ekyc.failed KAVSFB EKYC FAILED ${consentDenied.code}`));
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
    await expectReceived(id, 'bank.refused', refusedBank(3));
    // by the name at the bank
    const accounts = [anAccount('1055'), anAccount('1055')];
    for (const account of accounts) await refuse({ account });
    await refuse({ account: accounts[0] });
    await expectReceived(id, 'bank.refused', refusedBank(5));
    await refuse({ account: accounts[0], account_holder_full_name: 'Meera Rani Reddy' });
    // at another replica
    const user = await logIn(service, phone);
    const there = as((await service.replica()).api, user);
    const repeats = [{ account, account_holder_full_name: 'Ravi Menon' }, { account: accounts[0] }];
    for (const body of [...repeats, { account: accounts[0], account_holder_full_name: 'Meera Rani Reddy' }])
      expectRefusal(await postBank(there, bankBody({ issuer_code: 'ARAVFIN', ...body })), holderDiffers);
    await expectReceived(id, 'bank.refused', refusedBank(6));
    const failed = `journey.step.failed ARAVFIN BANK FAILED ${holderDiffers.code}`;
    await expectReceived(id, 'journey.step.failed', times(6, failed));
  });

  it('report an account that the worker refuses after another one, but not a repeat', async () => {
    const { id, api } = await aUser();
    const slow = {
      issuer_code: 'ARAVFIN',
      account_holder_full_name: 'Ravi Menon',
      account: anAccount('0202'),
    };
    const release = stopBankWorker(service);
    expect((await postBank(api, bankBody(slow))).status).toBe(202);
    await knownAs(service, id, 'Asha Kumari Rao');
    expectRefusal(await postBank(api, bankBody({ ...slow, account: anAccount() })), holderDiffers);
    release();
    await eventually(() =>
      expect(receivedOf(id).filter((event) => event.startsWith('bank.'))).toHaveLength(2),
    );
    expectRefusal(await postBank(api, bankBody(slow)), holderDiffers);
    await expectReceived(id, 'bank.refused', refusedBank(2));
  });

  it('report once an account that was verified before a PAN with another name', async () => {
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
    await expectReceived(id, 'bank.refused', refusedBank(1));
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
    await expectReceived(id, 'bank.', [
      'bank.verified BANK',
      'bank.registered ARAVFIN BANK DONE',
      'bank.verified BANK',
      'bank.registered ARAVFIN BANK',
      `bank.refused ARAVFIN BANK ${accountBlocked.code}`,
      `bank.refused ARAVFIN BANK ${holderDiffers.code}`,
    ]);
    await expectReceived(id, 'journey.step.failed', []);
  });

  it('report an account that is refused while another one waits once, and the step waits on', async () => {
    const { id, api } = await aUser();
    await knownAs(service, id, 'Asha Kumari Rao');
    const give = (account: string) => postBank(api, bankBody({ issuer_code: 'ARAVFIN', account }));
    const release = stopBankWorker(service);
    expect((await give(anAccount('0202'))).status).toBe(202);
    await holdBankWorker(service, id);
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
    release();
    await handOverToBankWorker(service, id);
    await expectReceived(id, 'bank.', [
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
    await expectReceived(id, 'bank.', [
      `bank.refused BANK ${accountBlocked.code}`,
      `bank.refused BANK ${holderDiffers.code}`,
    ]);
  });

  it('report a PAN that is refused after another one of two that were looked up at once', async () => {
    const { id, api } = await aUser();
    const pan = service.app.get(PanService);
    const ask = pan.ask.bind(pan);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    jest.spyOn(pan, 'ask').mockImplementationOnce(async (check) => {
      const answer = await ask(check);
      await held;
      return answer;
    });
    const slow = Promise.resolve(postPan(api, panBody()));
    await eventually(async () => {
      const running = 'SELECT id FROM onboarding.pan_checks WHERE user_id = $1';
      expect(await service.dataSource.query(running, [id])).toHaveLength(1);
    });
    const { body } = await postPan(api, panBody());
    expect(body).toMatchObject({ success: 1 });
    // refused up front, so it is no try
    const { anotherPanVerified } = PanErrors;
    expectRefusal(await postPan(api, panBody()), anotherPanVerified);
    release();
    await slow;
    const refused = [`pan.refused PAN ${anotherPanVerified.code}`];
    await eventually(() =>
      expect(receivedOf(id).filter((event) => event.startsWith('pan.refused'))).toEqual(refused),
    );
    await expectReceived(id, 'pan.', ['pan.verified PAN DONE', ...refused]);
    await expectReceived(id, 'journey.step.failed', []);
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
    await expectReceived(id, 'ekyc.', [
      'ekyc.verified KAVSFB EKYC DONE',
      `ekyc.failed KAVSFB EKYC ${consentDenied.code}`,
    ]);
    await expectReceived(id, 'journey.step.failed', []);
  });
});
