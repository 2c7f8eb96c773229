import type { ConsentsPayload, EkycStatusPayload, WithdrawnConsent } from '@fd/contracts';
import { ConsentErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal } from '@fd/testing';
import {
  bankBody,
  getVerification,
  HOLDER,
  payloadOf,
  postBank,
  handOverToBankWorker,
} from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { finishEkyc } from '../support/ekyc.js';
import { anAccount, issuerPath, type IssuerSlug } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

/** Issuers whose eKYC uses a hosted page, the Aadhaar stepper and the document locker. */
const EKYC_ISSUERS = ['aravalli', 'sahyadri', 'kaveri'] as const;

/** Steps of these issuers that a withdrawal stops while they are open: EKYC at an issuer, or BANK. */
const STOPPED = {
  TERMS_OF_USE: [...EKYC_ISSUERS, 'BANK'],
  PAN_VERIFICATION: [...EKYC_ISSUERS, 'BANK'],
  AADHAAR_EKYC: ['sahyadri'],
  DOCUMENT_LOCKER: ['kaveri'],
  BANK_ACCOUNT_VERIFICATION: ['BANK'],
  ISSUER_SHARING: ['BANK'],
};
type Purpose = keyof typeof STOPPED;

/** Two withdrawals in some tests, by a user each: Jest runs five tests at a time, which wait for the bank. */
const WITHDRAWN: readonly (readonly Purpose[])[] = [
  ['TERMS_OF_USE'],
  ['PAN_VERIFICATION'],
  ['AADHAAR_EKYC', 'DOCUMENT_LOCKER'],
  ['BANK_ACCOUNT_VERIFICATION', 'ISSUER_SHARING'],
];

describe('steps that are open when a consent is withdrawn', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const checkStatus = (api: ApiClient, slug: IssuerSlug) => api.post(issuerPath(slug, 'v3/check-status'), {});
  const stepOf = async (userId: string, step: string, slug: string) =>
    (
      await service.dataSource.query<{ state: string; reason: string | null }[]>(
        'SELECT state, reason FROM onboarding.journey_steps WHERE user_id = $1 AND step = $2 AND issuer_slug = $3',
        [userId, step, slug],
      )
    )[0]!;

  it.concurrent.each(WITHDRAWN.map((purposes) => [purposes.join(', '), purposes] as const))(
    'stops exactly the open steps in the answer: %s',
    async (_names, purposes) => {
      await Promise.all(purposes.map(expectStopped));
    },
  );

  async function expectStopped(purpose: Purpose): Promise<void> {
    const stopped = STOPPED[purpose];
    const { user_id, ...user } = await logIn(service);
    const api = as(service.api, user);
    await knownAs(service, user_id, HOLDER.toUpperCase());
    for (const { purpose: own, notice_version } of await noticesOf(api))
      if (own !== 'DEPOSIT_TERMS')
        expect((await api.post('/api/v1/consents', { purpose: own, notice_version })).status).toBe(200);
    const links: string[] = [];
    for (const slug of EKYC_ISSUERS) {
      const { body } = await checkStatus(api, slug);
      links.push((body as { payload: EkycStatusPayload }).payload.ekyc_request_id!);
    }
    const given = bankBody({ account: anAccount('0202'), issuer_code: 'ARAVFIN' });
    const { verification_id: id } = payloadOf(await postBank(api, given));
    // the person completes every link only after the withdrawal
    const { consents } = ((await api.get('/api/v1/consents')).body as { payload: ConsentsPayload }).payload;
    const { consent_id } = consents.find((consent) => consent.purpose === purpose)!;
    const { body } = await api.post(`/api/v1/consents/${consent_id}/withdraw`, {});
    const { suspended_steps } = (body as { payload: WithdrawnConsent }).payload;
    const named = suspended_steps.filter((step) => step === 'EKYC' || step === 'BANK');
    expect([purpose, ...named]).toEqual([
      purpose,
      ...new Set(stopped.map((step) => (step === 'BANK' ? 'BANK' : 'EKYC'))),
    ]);
    for (const link of links) await finishEkyc(link, 'verified');

    for (const slug of EKYC_ISSUERS) {
      const isStopped = stopped.includes(slug);
      if (isStopped) expectRefusal(await checkStatus(api, slug), ConsentErrors.withdrawn);
      await eventually(async () => {
        await handOverEkyc(user_id);
        expect(await stepOf(user_id, 'EKYC', slug)).toEqual(
          isStopped ? { state: 'FAILED', reason: 'EKYC_EXPIRED' } : { state: 'DONE', reason: null },
        );
      });
    }
    const isBankStopped = stopped.includes('BANK');
    await eventually(async () => {
      await handOverToBankWorker(service, user_id);
      expect(await stepOf(user_id, 'BANK', 'aravalli')).toEqual(
        isBankStopped
          ? { state: 'FAILED', reason: ConsentErrors.withdrawn.code }
          : { state: 'DONE', reason: null },
      );
    });
    expect(await effectsOf('issuer:aravalli', given.account)).toHaveLength(isBankStopped ? 0 : 1);
    const polled = await getVerification(api, id);
    if (isBankStopped) expectRefusal(polled, ConsentErrors.withdrawn);
    else expect(payloadOf(polled).is_synced).toBe(true);
  }

  /** Hands eKYC requests over to the worker, which otherwise takes them some seconds after the user's last call. */
  const handOverEkyc = (userId: string) =>
    service.dataSource.query(
      `UPDATE onboarding.ekyc_requests SET next_try_at = now()
        WHERE user_id = $1 AND next_try_at BETWEEN now() AND now() + interval '1 minute'`,
      [userId],
    );

  async function noticesOf(api: ApiClient) {
    const { body } = await api.get('/api/v1/consent-notices');
    return (body as { payload: { notices: { purpose: string; notice_version: string }[] } }).payload.notices;
  }

  it.concurrent(
    'ends a registration that waits for the PAN when the consent to the bank verification is withdrawn',
    async () => {
      const { user_id, ...user } = await logIn(service);
      const api = as(service.api, user);
      const given = bankBody({ issuer_code: 'ARAVFIN' });
      expect((await postBank(api, given)).status).toBe(200);
      for (const { purpose, notice_version } of await noticesOf(api))
        if (purpose === 'BANK_ACCOUNT_VERIFICATION')
          await api.post('/api/v1/consents', { purpose, notice_version });
      const { consents } = ((await api.get('/api/v1/consents')).body as { payload: ConsentsPayload }).payload;
      const { consent_id } = consents.find(({ purpose }) => purpose === 'BANK_ACCOUNT_VERIFICATION')!;
      await api.post(`/api/v1/consents/${consent_id}/withdraw`, {});
      // wakes the registration, which waited for the PAN
      await knownAs(service, user_id, HOLDER.toUpperCase());
      await eventually(async () =>
        expect(await stepOf(user_id, 'BANK', 'aravalli')).toEqual({
          state: 'FAILED',
          reason: ConsentErrors.withdrawn.code,
        }),
      );
      expect(await effectsOf('issuer:aravalli', given.account)).toEqual([]);
    },
  );
});
