import { randomUUID } from 'node:crypto';
import type {
  ConsentNoticesPayload,
  ConsentsPayload,
  EkycStatusPayload,
  GivenConsent,
  LoginPayload,
  WithdrawnConsent,
} from '@fd/contracts';
import { ConsentErrors, GeneralErrors, PanErrors, SessionErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, HINDI, inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import { AuditTrail } from '../../src/core/index.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import {
  bankBody,
  getVerification,
  handOverToBankWorker,
  holdBankWorker,
  HOLDER,
  payloadOf,
  postBank,
} from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAadhaar, finishEkyc } from '../support/ekyc.js';
import { codeOf } from '../support/inbox.js';
import { lockWaiters } from '../support/lock-waiters.js';
import { anAccount, issuerPath, type IssuerSlug } from '../support/issuers.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { aPan, knownAs, panBody, postPan, verifyPan } from '../support/pan.js';
import { aPartner } from '../support/partner.js';
import { withoutTriggers } from '../support/past-rows.js';
import { startService, type TestService } from '../support/users-app.js';

const PATH = '/api/v1/consents';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const aUser = async () => {
  const user = await logIn(service);
  return { ...user, api: as(service.api, user) };
};
const list = async (api: ApiClient): Promise<GivenConsent[]> => {
  const response = await api.get(PATH);
  expect(response.status).toBe(200);
  return (response.body as { payload: ConsentsPayload }).payload.consents;
};
const purposesOf = async (api: ApiClient) => (await list(api)).map(({ purpose }) => purpose);
const withdraw = (api: ApiClient, id: string) => api.post(`${PATH}/${encodeURIComponent(id)}/withdraw`, {});

describe('GET /api/v1/consents', () => {
  it('lists each consent with its purpose, notice version, time and partner', async () => {
    const { api } = await aUser();
    expect(await list(api)).toEqual([
      {
        consent_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        purpose: 'TERMS_OF_USE',
        covers: ['BANK_ACCOUNT_VERIFICATION', 'ISSUER_SHARING', 'CKYC'],
        notice_version: '2026-11',
        given_at: expect.any(String) as string,
        withdrawn_at: null,
        partner_url: 'https://app.partner.example',
        fact_sheet_hash: null,
      },
    ]);
    await verifyPan(api);
    expect(await purposesOf(api)).toEqual(['PAN_VERIFICATION', 'TERMS_OF_USE']);
  });

  it('lists those to fact sheets last, however many a partner gives', async () => {
    const { api, user_id } = await aUser();
    // fifty a day
    await service.dataSource.query(
      `INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash, document_hash)
       SELECT gen_random_uuid(), user_id, partner_id, 'DEPOSIT_TERMS', notice_version, ip_hash, sha256(n::text::bytea)
         FROM onboarding.consents, generate_series(1, 250) n WHERE user_id = $1`,
      [user_id],
    );
    const listed = await purposesOf(api);
    expect([listed.length, listed[0]]).toEqual([200, 'TERMS_OF_USE']);
  });

  it('returns 401 to a list of consents without a token', async () => {
    expectRefusal(await service.api.get(PATH), SessionErrors.tokenMissing);
  });
});

describe('POST /api/v1/consents/{consent_id}/withdraw', () => {
  it('withdraws a consent once, after which the user can give it again', async () => {
    const { api } = await aUser();
    const body = panBody();
    await verifyPan(api, body);
    const [given] = await list(api);
    const response = await withdraw(api, given!.consent_id);
    expect({ status: response.status, body: response.body as object }).toMatchObject({
      status: 200,
      body: { success: 1, payload: { ...given, withdrawn_at: expect.any(String) as string } },
    });
    expectRefusal(await withdraw(api, given!.consent_id), GeneralErrors.recordUnknown);
    await verifyPan(api, body);
    const [first, , last] = await list(api);
    expect(first).toMatchObject({ purpose: 'PAN_VERIFICATION', withdrawn_at: null });
    const { suspended_steps, ...withdrawn } = (response.body as { payload: WithdrawnConsent }).payload;
    expect(last).toEqual(withdrawn);
    expect(suspended_steps).toContain('BANK');
    expect(first!.consent_id).not.toBe(given!.consent_id);
  });

  it('returns 404 for a consent of another user, an unknown consent and a malformed id, and withdraws nothing', async () => {
    const [me, stranger] = [await aUser(), await aUser()];
    const [theirs] = await list(stranger.api);
    for (const id of [theirs!.consent_id, randomUUID(), 'nothing', "1' OR '1'='1"]) {
      expectRefusal(await withdraw(me.api, id), GeneralErrors.recordUnknown);
    }
    expect(await list(stranger.api)).toEqual([theirs]);
  });

  it('returns 401 to a withdrawal without a token', async () => {
    expectRefusal(await withdraw(service.api, randomUUID()), SessionErrors.tokenMissing);
  });

  it('withdraws a consent once for eight parallel calls, and returns 404 to the others', async () => {
    const { api } = await aUser();
    const [{ consent_id }] = (await list(api)) as [GivenConsent];
    const responses = await inParallel(8, () => withdraw(api, consent_id));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(404)]);
  });
});

describe('withdrawn consent', () => {
  const LEAD = { fd_info: { amount: 50_000, tenure: 730 }, source: 'app' };
  const sendAadhaarOtp = (api: ApiClient) =>
    api.post(issuerPath('sahyadri', 'v1/aadhaar-ekyc/send-otp'), {
      aadhaar_number: anAadhaar(),
      consent_checked: true,
    });
  const STEPS: readonly (readonly [string, (api: ApiClient) => Promise<Response>])[] = [
    ['check-etb', (api) => api.post(issuerPath('aravalli', 'v2/check-etb'), {})],
    ['check-status', (api) => api.post(issuerPath('aravalli', 'v3/check-status'), {})],
    ['bank sync', (api) => postBank(api)],
    ['a lead', (api) => api.post(issuerPath('sahyadri', 'v1/lead'), LEAD)],
    ['the Aadhaar stepper', (api) => sendAadhaarOtp(api)],
    [
      'the booking check',
      (api) => api.get(`${issuerPath('aravalli', 'v1/booking-check')}?fact_sheet_hash=${'a'.repeat(64)}`),
    ],
  ];
  /** Calls that store what the terms of use are about. */
  const STORING: readonly ((api: ApiClient) => Promise<Response>)[] = [
    (api) => api.post('/api/v1/email/send-otp', { email: `${randomUUID()}@mail.example` }),
    (api) => api.post('/api/v1/email/verify-otp', { email: 'a@mail.example', otp: '123456' }),
    (api) => api.post('/api/v1/personal-details', { occupation: 'SALARIED' }),
    (api) => api.post('/api/v1/user-nominee', { name: 'Meera Rao', relationship: 'MOTHER' }),
    (api) => api.put(`/api/v1/user-nominee/${randomUUID()}`, { name: 'Meera Rao' }),
  ];
  it.each(['TERMS_OF_USE', 'PAN_VERIFICATION'])(
    'refuses every step that passes data on while %s is withdrawn',
    async (purpose) => {
      const { api } = await aUser();
      await verifyPan(api);
      const consent = (await list(api)).find((given) => given.purpose === purpose)!;
      const { body } = await withdraw(api, consent.consent_id);
      expect((body as { payload: WithdrawnConsent }).payload.suspended_steps).toEqual([
        ...(purpose === 'TERMS_OF_USE' ? ['FD_DETAIL', 'PAN', 'EMAIL', 'PERSONAL_DETAILS', 'NOMINEE'] : []),
        'CHECK_ETB',
        'LEAD',
        'KYC_CONTEXT',
        'EKYC',
        'BANK',
        'BOOKING',
      ]);
      for (const [, step] of STEPS) expectRefusal(await step(api), ConsentErrors.withdrawn);
      for (const store of STORING) {
        const answer = await store(api);
        if (purpose === 'TERMS_OF_USE') expectRefusal(answer, ConsentErrors.withdrawn);
        else expect(JSON.stringify(answer.body)).not.toContain(ConsentErrors.withdrawn.code);
      }
      expect((await list(api)).map((given) => given.purpose)).not.toContain('DEPOSIT_TERMS');
    },
  );

  it.each(STEPS)('allows %s once the user has given the consent again', async (_name, step) => {
    const { phone, api } = await aUser();
    const body = panBody();
    await verifyPan(api, body);
    for (const { consent_id } of await list(api)) await withdraw(api, consent_id);
    const again = as(service.api, await logIn(service, phone));
    await verifyPan(again, body);
    expectRefusal(await step(again), ConsentErrors.withdrawn);
    await again.post(PATH, { purpose: 'TERMS_OF_USE', notice_version: '2026-11' });
    // the name differs from the PAN holder's; only a call that may ask the bank finds out
    const { body: answered } = await step(again);
    const refusals = (answered as { error?: { errorCode: string }[] }).error ?? [];
    expect(refusals.map(({ errorCode }) => errorCode)).not.toContain(ConsentErrors.withdrawn.code);
  });

  it('refuses the check of an Aadhaar code once its consent is withdrawn', async () => {
    const { api } = await aUser();
    await verifyPan(api);
    const sent = await sendAadhaarOtp(api);
    const { ekyc_request_id } = (sent.body as { payload: { ekyc_request_id: string } }).payload;
    const [given] = await list(api);
    expect(given!.purpose).toBe('AADHAAR_EKYC');
    const { body } = await withdraw(api, given!.consent_id);
    expect((body as { payload: WithdrawnConsent }).payload.suspended_steps).toEqual(['EKYC']);
    expectRefusal(
      await api.post(issuerPath('sahyadri', 'v1/aadhaar-ekyc/verify-otp'), {
        ekyc_request_id,
        otp: '123456',
      }),
      ConsentErrors.withdrawn,
    );
  });

  const url = 'https://third.partner.example';
  let isKnown = false;
  /** Logs the same person in at another partner. */
  async function logInElsewhere(phone: string): Promise<ApiClient> {
    if (!isKnown) await aPartner(service.dataSource, { url });
    isKnown = true;
    await service.api.post('/auth/register', { phone });
    const login = await service.api.post(
      '/auth/api/v2/register/verify',
      verifyBody(phone, await codeOf(phone), url),
    );
    return as(service.api, (login.body as { payload: LoginPayload }).payload);
  }

  it('refuses steps at every partner when each given consent is withdrawn', async () => {
    const { phone, api } = await aUser();
    await verifyPan(api);
    for (const { consent_id } of await list(api)) await withdraw(api, consent_id);
    const elsewhere = await logInElsewhere(phone);
    for (const [, step] of STEPS) expectRefusal(await step(elsewhere), ConsentErrors.withdrawn);
  });

  it('refuses steps only in sessions of the partner through which the consent was given', async () => {
    const { phone, api } = await aUser();
    const elsewhere = await logInElsewhere(phone);
    const [given] = await list(api);
    expect(given!.partner_url).toBe(url);
    const { body } = await withdraw(api, given!.consent_id);
    expect((body as { payload: WithdrawnConsent }).payload.suspended_steps).toContain('BANK');
    expectRefusal(await postBank(elsewhere), ConsentErrors.withdrawn);
    expectRefusal(await postPan(elsewhere, panBody()), ConsentErrors.withdrawn);
    expect((await postBank(api)).status).toBe(200);
  });

  it('gives back at a login after a withdrawal only what being logged in needs', async () => {
    const { phone, api } = await aUser();
    const [terms] = await list(api);
    await withdraw(api, terms!.consent_id);
    const again = as(service.api, await logIn(service, phone));
    expect((await list(again)).map(({ purpose, withdrawn_at: at }) => [purpose, at === null])).toEqual([
      ['ACCOUNT_ACCESS', true],
      ['TERMS_OF_USE', false],
    ]);
    // once while it is in force
    await logIn(service, phone);
    expect(await list(again)).toHaveLength(2);
    // the person can look, withdraw and log devices out
    expect((await again.get('/api/v1/user-profile')).status).toBe(200);
    expect((await again.get('/api/v1/user-sessions')).status).toBe(200);
    expectRefusal(await postBank(again), ConsentErrors.withdrawn);
    const [access] = await list(again);
    expect((await withdraw(again, access!.consent_id)).status).toBe(200);
    expect((await again.post(PATH, { purpose: 'TERMS_OF_USE', notice_version: '2026-11' })).status).toBe(200);
    expect((await postBank(again)).status).toBe(200);
    // terms in force are not given a second time
    await logIn(service, phone);
    expect((await list(again)).filter(({ withdrawn_at: at }) => at === null)).toHaveLength(1);
  });

  it('gives no more back at a login that runs beside the withdrawal', async () => {
    const { phone, api } = await aUser();
    const [terms] = await list(api);
    await service.api.post('/auth/register', { phone });
    const body = verifyBody(phone, await codeOf(phone));
    const trail = service.app.get(AuditTrail);
    const record = trail.record.bind(trail);
    let loggingIn: Promise<Response> | undefined;
    const recording = jest.spyOn(trail, 'record').mockImplementation(async (tx, entry) => {
      // the terms are withdrawn, and that is not committed
      if (entry.action === 'CONSENT_WITHDRAWN') {
        loggingIn = service.api.post('/auth/api/v2/register/verify', body).then((answer) => answer);
        await lockWaiters(service, 1);
      }
      return record(tx, entry);
    });
    expect((await withdraw(api, terms!.consent_id)).status).toBe(200);
    recording.mockRestore();
    const again = as(service.api, ((await loggingIn!).body as { payload: LoginPayload }).payload);
    expect((await list(again)).map(({ purpose, withdrawn_at: at }) => [purpose, at === null])).toEqual([
      ['ACCOUNT_ACCESS', true],
      ['TERMS_OF_USE', false],
    ]);
  });

  it('lets a person who has withdrawn the terms export their data after the next login', async () => {
    const { phone, api } = await aUser();
    const { number, dob } = await verifyPan(api, panBody());
    const terms = (await list(api)).find(({ purpose }) => purpose === 'TERMS_OF_USE');
    await withdraw(api, terms!.consent_id);
    const again = as(service.api, await logIn(service, phone));
    expect((await again.post('/api/v1/user-data-export', { number, dob })).status).toBe(200);
  });

  it('gives the terms at the first login through another partner', async () => {
    const { phone, api } = await aUser();
    const [terms] = await list(api);
    await withdraw(api, terms!.consent_id);
    const elsewhere = await logInElsewhere(phone);
    expect((await list(elsewhere))[0]).toMatchObject({
      purpose: 'TERMS_OF_USE',
      partner_url: url,
      withdrawn_at: null,
    });
  });

  it('refuses a PAN verification without TERMS_OF_USE, and counts no look-up', async () => {
    const { api, user_id } = await aUser();
    const [given] = await list(api);
    await withdraw(api, given!.consent_id);
    expectRefusal(await postPan(api, panBody()), ConsentErrors.withdrawn);
    const lookups = 'SELECT FROM onboarding.pan_lookups WHERE user_id = $1';
    expect(await service.dataSource.query(lookups, [user_id])).toEqual([]);
  });

  it('gives a withdrawn consent again once for parallel calls of the step', async () => {
    const { api } = await aUser();
    await verifyPan(api);
    const locker = () =>
      api.post(issuerPath('kaveri', 'v1/document-locker/session'), { consent_checked: true });
    for (let round = 0; round < 3; round++) {
      for (const answer of await inParallel(4, locker)) expect(answer.status).toBe(200);
      const given = (await list(api)).find(({ purpose }) => purpose === 'DOCUMENT_LOCKER')!;
      expect((await withdraw(api, given.consent_id)).status).toBe(200);
    }
  });

  it.each<[string, (api: ApiClient) => Promise<Response>]>([
    ['PAN_VERIFICATION', (api) => postPan(api, panBody())],
    ['AADHAAR_EKYC', sendAadhaarOtp],
    [
      'DOCUMENT_LOCKER',
      (api) => api.post(issuerPath('kaveri', 'v1/document-locker/session'), { consent_checked: true }),
    ],
  ])('refuses to give %s again beyond the daily limit, and refuses its step', async (purpose, step) => {
    const { api, user_id } = await aUser();
    await withoutTriggers(
      service,
      `INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash, withdrawn_at)
       SELECT gen_random_uuid(), c.user_id, c.partner_id, $2, '2026-11', '', now()
         FROM onboarding.consents c, generate_series(1, 20) WHERE c.user_id = $1`,
      [user_id, purpose],
    );
    for (const answer of await inParallel(3, () => step(api))) expectRefusal(answer, ConsentErrors.withdrawn);
    expect((await list(api)).filter((consent) => consent.withdrawn_at === null)).toHaveLength(1);
    const calls = `SELECT FROM onboarding.pan_lookups WHERE user_id = $1 UNION ALL
      SELECT FROM onboarding.ekyc_requests WHERE user_id = $1`;
    expect(await service.dataSource.query(calls, [user_id])).toEqual([]);
  });
});

describe('GET /api/v1/consent-notices', () => {
  it('returns each notice with its version, in English and in Hindi, without a login', async () => {
    const notices = async (query: Record<string, string>) => {
      const { status, body } = await service.api.get('/api/v1/consent-notices', { query });
      expect(status).toBe(200);
      return (body as { payload: ConsentNoticesPayload }).payload;
    };
    const [english, hindi] = [await notices({}), await notices({ lang: 'hi' })];
    expect([english.lang, hindi.lang]).toEqual(['en', 'hi']);
    expect(english.notices.map(({ purpose, suspended_steps: steps }) => [purpose, steps.join()])).toEqual([
      [
        'TERMS_OF_USE',
        'FD_DETAIL,PAN,EMAIL,PERSONAL_DETAILS,NOMINEE,CHECK_ETB,LEAD,KYC_CONTEXT,EKYC,BANK,BOOKING',
      ],
      ['ACCOUNT_ACCESS', ''],
      ['PAN_VERIFICATION', 'CHECK_ETB,LEAD,KYC_CONTEXT,EKYC,BANK,BOOKING'],
      ['AADHAAR_EKYC', 'EKYC'],
      ['DOCUMENT_LOCKER', 'EKYC'],
      ['BANK_ACCOUNT_VERIFICATION', 'BANK'],
      ['ISSUER_SHARING', 'CHECK_ETB,LEAD,KYC_CONTEXT,BANK,BOOKING'],
      ['PARTNER_SHARING', ''],
      ['CKYC', ''],
      ['DEPOSIT_TERMS', ''],
    ]);
    for (const [index, notice] of hindi.notices.entries()) {
      const { title, text, data, withdrawal_text, ...same } = notice;
      expect(english.notices[index]).toMatchObject(same);
      for (const words of [title, text, withdrawal_text, ...data]) expect(words).toMatch(HINDI);
    }
    expectRefusal(
      await service.api.get('/api/v1/consent-notices', { query: { lang: 'fr' } }),
      ConsentErrors.languageUnknown,
    );
  });
});

describe('POST /api/v1/consents', () => {
  const give = (api: ApiClient, purpose: unknown, version: unknown = '2026-11') =>
    api.post(PATH, { purpose, notice_version: version });

  it('records a purpose with the version of its notice, once while it is in force', async () => {
    const { api } = await aUser();
    const answers = await inParallel(5, () => give(api, 'CKYC'));
    const [{ body }] = answers as [Response];
    for (const answer of answers) expect([answer.status, answer.body as object]).toEqual([200, body]);
    expect(body).toMatchObject({
      payload: { purpose: 'CKYC', notice_version: '2026-11', withdrawn_at: null },
    });
    expect(await purposesOf(api)).toEqual(['CKYC', 'TERMS_OF_USE']);
  });

  it.each([
    ['ISSUER_SHARING', ['check-etb', 'a lead', 'bank sync']],
    ['BANK_ACCOUNT_VERIFICATION', ['bank sync']],
  ])('gives %s again and allows the steps that its withdrawal refused', async (purpose, refused) => {
    const { api } = await aUser();
    await verifyPan(api);
    await give(api, purpose);
    const [given] = await list(api);
    await withdraw(api, given!.consent_id);
    const steps: Record<string, () => Promise<Response>> = {
      'check-etb': () => api.post(issuerPath('aravalli', 'v2/check-etb'), {}),
      'a lead': () => api.post(issuerPath('sahyadri', 'v1/lead'), {}),
      'bank sync': () => postBank(api),
    };
    for (const [name, step] of Object.entries(steps)) {
      if (refused.includes(name)) expectRefusal(await step(), ConsentErrors.withdrawn);
      else expect([200, 201]).toContain((await step()).status);
    }
    expect((await give(api, purpose)).status).toBe(200);
    for (const step of Object.values(steps)) {
      const { body } = await step();
      const refusals = (body as { error?: { errorCode: string }[] }).error ?? [];
      expect(refusals.map(({ errorCode }) => errorCode)).not.toContain(ConsentErrors.withdrawn.code);
    }
  });

  it('answers 429 until the oldest of twenty consents of a day is a day old', async () => {
    const { api } = await aUser();
    const give = () => api.post(PATH, { purpose: 'CKYC', notice_version: '2026-11' });
    for (let turn = 0; turn < 20; turn++) {
      const { payload } = (await give()).body as { payload: GivenConsent };
      expect((await withdraw(api, payload.consent_id)).status).toBe(200);
    }
    const refused = await give();
    expectRefusal(refused, GeneralErrors.tooManyRequests);
    const wait = Number(refused.headers['retry-after']);
    expect(wait).toBeGreaterThan(86_000);
    expect(wait).toBeLessThanOrEqual(86_400);
  });

  it('refuses an unknown purpose, another version and a call without a token, and records nothing', async () => {
    const { api } = await aUser();
    for (const purpose of ['NOTHING', 'DEPOSIT_TERMS', 'toString', '', null, 7, undefined])
      expectRefusal(await give(api, purpose), ConsentErrors.purposeUnknown);
    for (const version of ['2020-01', '', null, ['2026-11']])
      expectRefusal(await give(api, 'CKYC', version), ConsentErrors.noticeOutdated);
    expectRefusal(await give(service.api, 'CKYC'), SessionErrors.tokenMissing);
    expect(await purposesOf(api)).toEqual(['TERMS_OF_USE']);
  });
});

describe('recording of consents', () => {
  it('records the consent before it asks the PAN registry, regardless of the answer', async () => {
    const { api } = await aUser();
    expectRefusal(await postPan(api, panBody(aPan({ digits: '0404' }))), PanErrors.notFound);
    expect(await purposesOf(api)).toEqual(['PAN_VERIFICATION', 'TERMS_OF_USE']);
  });

  it('records no second consent for further logins and PAN verifications while the first is in force', async () => {
    const { phone, api } = await aUser();
    const body = panBody();
    await verifyPan(api, body);
    const before = await list(api);
    const again = await logIn(service, phone);
    await verifyPan(as(service.api, again), body);
    expect(await list(api)).toEqual(before);
  });

  it('records a consent for each partner through which it was given', async () => {
    const url = 'https://second.partner.example';
    await aPartner(service.dataSource, { url });
    const { phone, api } = await aUser();
    await service.api.post('/auth/register', { phone });
    await service.api.post('/auth/api/v2/register/verify', verifyBody(phone, await codeOf(phone), url));
    expect((await list(api)).map(({ partner_url }) => partner_url)).toEqual([
      url,
      'https://app.partner.example',
    ]);
  });

  it('records no consent without a declaration in the call', async () => {
    const { api } = await aUser();
    expectRefusal(await postPan(api, { ...panBody(), consent_checked: false }), ConsentErrors.refused);
    expect(await purposesOf(api)).toEqual(['TERMS_OF_USE']);
  });

  it('stores a keyed hash of the IP address instead of the address', async () => {
    const { user_id } = await aUser();
    const rows = await service.dataSource.query<{ ip: number; row: string }[]>(
      'SELECT octet_length(ip_hash) AS ip, c::text AS row FROM onboarding.consents c WHERE user_id = $1',
      [user_id],
    );
    expect(rows[0]?.ip).toBe(32);
    expect(rows[0]?.row).not.toContain('127.0.0.1');
  });
});

describe('retention of consents', () => {
  it('deletes a consent seven years after its withdrawal, and keeps the last record of each purpose', async () => {
    const { user_id } = await logIn(service);
    const given = async (purpose: string, withdrawn: string) =>
      withoutTriggers(
        service,
        `INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash, withdrawn_at)
         SELECT gen_random_uuid(), $1, id, $2, $3::text, '', now() - $3::text::interval FROM onboarding.partners LIMIT 1`,
        [user_id, purpose, withdrawn],
      );
    for (const age of ['7 years 2 days', '7 years 1 day', '6 years 364 days']) await given('ISSUER', age);
    for (const age of ['7 years 5 days', '7 years 3 days']) await given('PAN_VERIFICATION', age);
    await given('TERMS_OF_USE', '7 years 1 day');
    for (const age of ['12 years 2 days', '12 years 1 day', '11 years 364 days'])
      await given('DEPOSIT_TERMS', age);
    await service.app.get(Jobs).runCleanup();
    const left = await service.dataSource.query<{ purpose: string; age: string }[]>(
      `SELECT purpose, notice_version AS age FROM onboarding.consents
        WHERE user_id = $1 AND withdrawn_at IS NOT NULL ORDER BY 1`,
      [user_id],
    );
    expect(left).toEqual([
      // for a year after the end of a deposit of ten years
      { purpose: 'DEPOSIT_TERMS', age: '11 years 364 days' },
      { purpose: 'ISSUER', age: '6 years 364 days' },
      { purpose: 'PAN_VERIFICATION', age: '7 years 3 days' },
    ]);
  });

  it('keeps the first consent to the terms of use, by which the account belongs to a partner', async () => {
    const { user_id } = await logIn(service);
    await withoutTriggers(
      service,
      `WITH first AS (
         UPDATE onboarding.consents SET given_at = now() - interval '8 years', withdrawn_at = now() - interval '7 years 1 day'
          WHERE user_id = $1 RETURNING *)
       INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash)
       SELECT gen_random_uuid(), user_id, partner_id, purpose, notice_version, ip_hash FROM first`,
      [user_id],
    );
    await service.app.get(Jobs).runCleanup();
    const left = await service.dataSource.query<object[]>(
      'SELECT FROM onboarding.consents WHERE user_id = $1',
      [user_id],
    );
    expect(left).toHaveLength(2);
  });
});

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
    // else the worker could finish before the withdrawal
    await holdBankWorker(service, user_id);
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
