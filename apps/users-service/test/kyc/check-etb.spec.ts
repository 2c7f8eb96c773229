import type { CheckEtbPayload } from '@fd/contracts';
import { GeneralErrors, IssuerErrors, LockerErrors, SessionErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel } from '@fd/testing';
import { ISSUERS } from '../../src/config/issuers.js';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { UsersRepository } from '../../src/identity/index.js';
import { bankBody, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { finishEkyc, finishLocker } from '../support/ekyc.js';
import { overFineract } from '../support/fineract.js';
import { ISSUER_CODES, ISSUER_SLUGS, issuerPath } from '../support/issuers.js';
import { lockWaiters } from '../support/lock-waiters.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { runPan, WHO } from '../support/operator.js';
import { aPan, panBody, verifyPan } from '../support/pan.js';
import { answersJson, BEHAVIOURS, ScriptedProvider, SHORT_WAIT } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const path = (slug: string) => issuerPath(slug, 'v2/check-etb');

describe('bank account of a customer whom Fineract finds by the PAN alone', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(overFineract(['vindhya']));
  });
  afterAll(() => service.close());

  /** Users who send an account; returns whether the issuer made a client of its own for them. */
  const registers = async (beforehand: (api: TestService['api'], user: LoggedIn) => Promise<unknown>) => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const { full_name } = await verifyPan(api, panBody(aPan({ digits: '0200' })));
    const { body } = await api.post(path('vindhya'), {});
    expect(body.payload).toMatchObject({ is_etb: true, customer_id: null, matched_on: [] });
    await beforehand(api, user);
    const given = bankBody({ account_holder_full_name: full_name, issuer_code: ISSUER_CODES.vindhya });
    expect((await postBank(api, given)).status).toBeLessThan(300);
    await eventually(async () =>
      expect(await effectsOf('issuer:vindhya', given.account)).toMatchObject([
        { kind: 'account_registration' },
      ]),
    );
    return (await effectsOf('issuer:vindhya', user.user_id)).map(({ kind }) => kind);
  };

  it('does not add an account to a customer found by the PAN alone, because others may know the PAN', async () => {
    expect(await registers(() => Promise.resolve())).toEqual(['customer']);
  });

  /** @param phone that the provider reports; undefined: on a device of anybody */
  const completeEkyc = async (api: TestService['api'], phone?: string) => {
    const status = () => api.post(issuerPath('vindhya', 'v3/check-status'), {});
    await finishEkyc((await status()).body.payload.ekyc_request_id as string, 'verified', undefined, phone);
    await eventually(async () =>
      expect((await status()).body.payload).toMatchObject({ is_ekyc_verified: true }),
    );
  };

  it('shows the customer found by the PAN after an eKYC of the holder of the PAN', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    await verifyPan(api, panBody(aPan({ digits: '0200' })));
    const shown = async () => (await api.post(path('vindhya'), {})).body.payload;
    expect(await shown()).toMatchObject({ is_etb: true, customer_id: null, matched_on: [] });
    await completeEkyc(api, user.phone);
    expect(await shown()).toMatchObject({
      is_etb: true,
      customer_id: expect.stringMatching(/^X{6}\w*$/) as string,
      matched_on: ['PAN'],
    });
  });

  it('adds an account to a customer found by the PAN after an eKYC of the holder of the PAN', async () => {
    expect(await registers((api, { phone }) => completeEkyc(api, phone))).toEqual([]);
  });

  it('shows and adds to no customer after an eKYC of a link that the user may have sent to the holder', async () => {
    const kinds = await registers(async (api) => {
      await completeEkyc(api);
      const { body } = await api.post(path('vindhya'), {});
      expect(body.payload).toMatchObject({ customer_id: null, matched_on: [] });
    });
    expect(kinds).toEqual(['customer']);
  });

  it('does not add an account to that customer after an eKYC by a document with only the year of birth', async () => {
    const session = issuerPath('kaveri', 'v1/document-locker/session');
    const kinds = await registers(async (api, { phone }) => {
      const { body } = await api.post(session, { consent_checked: true });
      const { url, session_id: id } = body.payload as { url: string; session_id: string };
      await finishLocker(url, 'birth_year', undefined, phone);
      expect((await api.get(`${session}/${id}`)).body.payload.is_ekyc_verified).toBe(true);
    });
    expect(kinds).toEqual(['customer']);
  });

  it('does not add an account to that customer after an eKYC when no registry has compared the date of birth', async () => {
    const kinds = await registers(async (api, { user_id: userId, phone }) => {
      await service.dataSource.query(
        'UPDATE onboarding.identities SET is_dob_compared = false WHERE user_id = $1',
        [userId],
      );
      await completeEkyc(api, phone);
    });
    expect(kinds).toEqual(['customer']);
  });
});

describe('POST /issuer-apis/{issuer_slug}/v2/check-etb', () => {
  let service: TestService;
  /** Plays Aravalli with answers that each test chooses. */
  let scripted: ScriptedProvider;
  beforeAll(async () => {
    scripted = await ScriptedProvider.start();
    service = await startService({
      ISSUER_API_OVERRIDES: JSON.stringify({ aravalli: { url: scripted.url, api_key: 'aravalli-key' } }),
    });
  });
  afterAll(async () => {
    await service.close();
    await scripted.stop();
  });

  /** Returns a user with a verified PAN; its digits may be a magic number of the sandbox. */
  const aCustomer = async (digits?: string) => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const pan = await verifyPan(api, panBody(aPan(digits === undefined ? {} : { digits })));
    return { ...user, api, pan: pan.number };
  };
  const check = async (
    { api }: { api: TestService['api'] },
    slug: string,
    body: object = {},
  ): Promise<CheckEtbPayload> => {
    const response = await api.post(path(slug), body);
    expect(response.status).toBe(200);
    return (response.body as { payload: CheckEtbPayload }).payload;
  };
  const ekycOf = async (userId: string, slug: string) =>
    (await service.app.get(JourneyRepository).statesOf(userId, slug)).EKYC;
  const rowsOf = (userId: string) =>
    service.dataSource.query<Record<string, unknown>[]>(
      'SELECT * FROM onboarding.existing_customers WHERE user_id = $1',
      [userId],
    );
  const customerAnswer = (
    kyc_status: string,
    customer_no = 'CUST-0004711',
    matched_on: readonly string[] = ['PAN', 'MOBILE'],
  ) => answersJson(200, { found: true, customer: { customer_no, kyc_status, matched_on } });

  it('drops the answer about a PAN that the user lost while the issuer was asked', async () => {
    const user = await aCustomer();
    const found = customerAnswer('COMPLETE');
    // a call that takes too long is repeated
    const held: (() => void)[] = [];
    scripted.behaviour = (response) => void held.push(() => found(response));
    const checking = check(user, 'aravalli');
    await eventually(() => expect(held).not.toEqual([]));
    await runPan(service, '', 'release', '--user', user.user_id, ...WHO);
    scripted.behaviour = found;
    for (const letGo of held) letGo();
    expect(await checking).toMatchObject({ is_etb: false });
    expect(await rowsOf(user.user_id)).toEqual([]);
    // the next verified PAN must not skip eKYC
    await verifyPan(user.api);
    expect((await ekycOf(user.user_id, 'aravalli'))?.state).not.toBe('SKIPPED');
  });

  describe('success', () => {
    it('reports a person unknown to the issuer as new to the bank', async () => {
      const user = await aCustomer();
      const before = Date.now();
      const payload = await check(user, 'vindhya');
      expect(payload).toEqual({
        is_etb: false,
        customer_type: 'NTB',
        customer_id: null,
        matched_on: [],
        flow_id: null,
        is_ekyc_required: true,
        skipped_steps: [],
        next_step: 'EKYC',
        checked_at: expect.any(String) as string,
      });
      expect(Date.parse(payload.checked_at)).toBeGreaterThanOrEqual(before);
      expect(await rowsOf(user.user_id)).toEqual([
        expect.objectContaining({ issuer_slug: 'vindhya', is_existing: false, customer_id_encrypted: null }),
      ]);
    });

    it('skips eKYC for a customer with complete KYC, at that issuer only', async () => {
      const user = await aCustomer('0200');
      expect(await check(user, 'vindhya')).toMatchObject({
        is_etb: true,
        customer_type: 'ETB',
        customer_id: expect.stringMatching(/^X{6}[0-9]{4}$/) as string,
        matched_on: ['PAN', 'PHONE'],
        is_ekyc_required: false,
        skipped_steps: ['EKYC'],
        next_step: 'EMAIL',
      });
      expect(await ekycOf(user.user_id, 'vindhya')).toEqual({
        state: 'SKIPPED',
        reason: 'EXISTING_CUSTOMER',
      });
      expect(await ekycOf(user.user_id, 'kaveri')).toBeUndefined();
      const journey = await user.api.get(issuerPath('vindhya', 'v1/journey'));
      expect(journey.body.payload.steps).toContainEqual(
        expect.objectContaining({ step: 'EKYC', status: 'SKIPPED', reason: 'EXISTING_CUSTOMER' }),
      );
      expect(await check(user, 'kaveri')).toMatchObject({ is_etb: false, is_ekyc_required: true });
    });

    it.each(['expired', 'failed'] as const)(
      'keeps the eKYC of such a customer skipped when a page opened before has %s',
      async (outcome) => {
        const user = await aCustomer('0200');
        const status = () => user.api.post(issuerPath('vindhya', 'v3/check-status'), {});
        const { ekyc_request_id: id } = (await status()).body.payload as { ekyc_request_id: string };
        await check(user, 'vindhya');
        await finishEkyc(id, outcome);
        expect((await status()).body.payload).toMatchObject({ is_ekyc_verified: true });
        expect(await ekycOf(user.user_id, 'vindhya')).toMatchObject({ state: 'SKIPPED' });
      },
    );

    it('keeps it skipped, for the same reason, when another method that was begun before fails', async () => {
      const user = await aCustomer('0200');
      await check(user, 'vindhya');
      await service.app.get(JourneyRepository).record(service.database.manager, {
        ...{ userId: user.user_id, issuer: 'vindhya', step: 'EKYC', event: 'FAILED', isAnotherTry: true },
        reason: LockerErrors.sessionExpired.code,
      });
      expect(await ekycOf(user.user_id, 'vindhya')).toEqual({
        state: 'SKIPPED',
        reason: 'EXISTING_CUSTOMER',
      });
    });

    it.each([
      ['the PAN alone', ['PAN']],
      ['the phone alone', ['MOBILE']],
      ['something else', ['EMAIL']],
    ] as const)(
      'requires eKYC of a customer with complete KYC whom the issuer found by %s, and tells nothing else about the customer',
      async (_by, found) => {
        const user = await aCustomer();
        scripted.behaviour = customerAnswer('COMPLETE');
        expect(await check(user, 'aravalli')).toMatchObject({ is_ekyc_required: false });
        scripted.behaviour = customerAnswer('COMPLETE', 'CUST-0004711', found);
        expect(await check(user, 'aravalli')).toMatchObject({
          is_etb: true,
          customer_type: 'ETB',
          customer_id: null,
          matched_on: [],
          is_ekyc_required: true,
          skipped_steps: [],
          next_step: 'EKYC',
        });
        expect(await ekycOf(user.user_id, 'aravalli')).toEqual({ state: 'NOT_STARTED', reason: null });
        const { body } = await user.api.post(issuerPath('aravalli', 'v3/check-status'), {});
        expect(body.payload).toMatchObject({ is_ekyc_verified: false, ekyc_status: 'LINK_CREATED' });
      },
    );

    it('requires eKYC of a customer whose KYC is due', async () => {
      const user = await aCustomer('0201');
      expect(await check(user, 'vindhya')).toMatchObject({
        is_etb: true,
        customer_type: 'ETB',
        is_ekyc_required: true,
        skipped_steps: [],
        next_step: 'EKYC',
      });
      expect(await ekycOf(user.user_id, 'vindhya')).toBeUndefined();
    });

    it.each(ISSUER_SLUGS)(
      'reports a user without a verified PAN as new to %s, and does not ask the issuer',
      async (slug) => {
        const user = await logIn(service);
        const { steps } = ISSUERS.find((issuer) => issuer.slug === slug)!;
        scripted.calls.length = 0;
        expect(await check({ api: as(service.api, user) }, slug)).toMatchObject({
          is_etb: false,
          customer_type: 'NTB',
          customer_id: null,
          is_ekyc_required: true,
          next_step: steps.includes('LEAD') ? 'LEAD' : 'PAN',
        });
        expect(scripted.calls).toHaveLength(0);
        expect(await rowsOf(user.user_id)).toEqual([]);
      },
    );

    it('sends the issuer the PAN, the date of birth and the phone of the user', async () => {
      const user = await aCustomer();
      scripted.calls.length = 0;
      scripted.behaviour = answersJson(200, { found: false, customer: null });
      await check(user, 'aravalli');
      expect(scripted.calls).toMatchObject([
        { body: { pan: user.pan, date_of_birth: '1990-04-21', mobile: user.phone } },
      ]);
    });

    it('asks the issuer at each call, requires eKYC when its KYC lapses, and keeps a completed eKYC', async () => {
      const user = await aCustomer();
      scripted.behaviour = customerAnswer('COMPLETE');
      expect(await check(user, 'aravalli')).toMatchObject({ is_ekyc_required: false });
      scripted.behaviour = customerAnswer('DUE');
      expect(await check(user, 'aravalli')).toMatchObject({ is_etb: true, is_ekyc_required: true });
      expect(await ekycOf(user.user_id, 'aravalli')).toMatchObject({ state: 'NOT_STARTED' });
      await service.app.get(JourneyRepository).record(service.database.manager, {
        ...{ userId: user.user_id, issuer: 'aravalli', step: 'EKYC', event: 'COMPLETED' },
      });
      scripted.behaviour = customerAnswer('COMPLETE');
      await check(user, 'aravalli');
      scripted.behaviour = answersJson(200, { found: false, customer: null });
      expect(await check(user, 'aravalli')).toMatchObject({ is_etb: false, is_ekyc_required: false });
      expect(await ekycOf(user.user_id, 'aravalli')).toMatchObject({ state: 'DONE' });
    });

    it('keeps an eKYC that completes while the issuer is being asked', async () => {
      const user = await aCustomer();
      scripted.behaviour = customerAnswer('COMPLETE');
      await check(user, 'aravalli');
      scripted.behaviour = customerAnswer('DUE');
      const journey = service.app.get(JourneyRepository);
      const checked = await service.database.transaction(async (transaction) => {
        const ekyc = { userId: user.user_id, issuer: 'aravalli', step: 'EKYC', event: 'COMPLETED' } as const;
        await journey.record(transaction, ekyc);
        // again if a busy machine meets the limit of the wait
        const checking = eventually(() => check(user, 'aravalli'));
        await lockWaiters(service, 1);
        // wrapped in an object: awaiting the answer itself would deadlock with the transaction
        return { checking };
      });
      expect(await checked.checking).toMatchObject({ is_etb: true, is_ekyc_required: false });
      expect(await ekycOf(user.user_id, 'aravalli')).toMatchObject({ state: 'DONE' });
    });

    it.each(['7', '4711'])('masks a customer id as short as %s completely', async (id) => {
      const user = await aCustomer();
      scripted.behaviour = customerAnswer('COMPLETE', id);
      expect(await check(user, 'aravalli')).toMatchObject({ is_etb: true, customer_id: 'XXXXXX' });
    });
  });

  it.each(['nobody', 'VINDHYA', 'VINBANK', '..', '%27'])('refuses the unknown issuer %s', async (slug) => {
    const api = as(service.api, await logIn(service));
    expectRefusal(await api.post(path(encodeURIComponent(slug)), { flowId: 7 }), IssuerErrors.unknown);
  });

  describe('check-etb with a failing issuer', () => {
    let replica: UsersApp;
    beforeAll(async () => {
      replica = await service.replica();
    });

    it.each([
      ['is down', '0603'],
      ['hangs', '0604'],
      ['is broken', '0605'],
      ['answers a web page', '0602'],
    ])('answers 503 with Retry-After when the issuer %s, and stores nothing', async (name, digits) => {
      const user = await aCustomer(digits);
      const { api } = name === 'hangs' ? await service.replica(SHORT_WAIT) : service;
      const response = await as(api, user).post(path('nilgiri'), {});
      expectRefusal(response, IssuerErrors.unavailable);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      expect(await rowsOf(user.user_id)).toEqual([]);
      expect((await user.api.get('/api/v1/user-profile')).status).toBe(200);
    });

    it('keeps the previous answer of a failing issuer', async () => {
      const user = await aCustomer();
      const me = as(replica.api, user);
      scripted.behaviour = customerAnswer('COMPLETE');
      expect((await me.post(path('aravalli'), {})).status).toBe(200);
      scripted.behaviour = BEHAVIOURS.fails;
      expectRefusal(await me.post(path('aravalli'), {}), IssuerErrors.unavailable);
      expect(await rowsOf(user.user_id)).toMatchObject([{ is_existing: true, is_kyc_complete: true }]);
      expect(await ekycOf(user.user_id, 'aravalli')).toMatchObject({ state: 'SKIPPED' });
    });

    it.each([
      ['redirects', 'redirects'],
      ['resets the connection', 'resets'],
      ['breaks off its answer', 'breaksOff'],
      ['answers a megabyte', 'answersHuge'],
      ['refuses the request', 'refuses'],
      // last: it opens the circuit
      ['rejects our key', 'rejectsKey'],
    ] as const)('answers 503 when the issuer %s', async (_case, behaviour) => {
      const user = await aCustomer();
      scripted.behaviour = BEHAVIOURS[behaviour];
      const { length } = scripted.calls;
      expectRefusal(await as(replica.api, user).post(path('aravalli'), {}), IssuerErrors.unavailable);
      expect(scripted.calls.length).toBeGreaterThan(length);
    });
  });

  it('refuses check-etb without an access token or with a malformed one', async () => {
    expectRefusal(await service.api.post(path('vindhya'), {}), SessionErrors.tokenMissing);
    expectRefusal(
      await service.api.post(path('vindhya'), {}, { bearer: 'x.y.z' }),
      SessionErrors.tokenMalformed,
    );
  });

  describe('flow of check-etb', () => {
    it.each<[string, object, string | null]>([
      ['flowId', { flowId: 'SA' }, 'SA'],
      ['flow_id', { flow_id: 'SA' }, 'SA'],
      ['both names of the flow', { flowId: 'SA', flow_id: 'SA' }, 'SA'],
      ['one name of the flow and a blank other', { flowId: '', flow_id: 'SA' }, 'SA'],
      ['no flow', {}, null],
      ['null as the flow', { flowId: null, flow_id: null }, null],
      ['a blank flow', { flowId: '' }, null],
      ['unknown fields', { flow: 'XX', a: [1] }, null],
    ])('accepts %s at an issuer with a savings-account flow', async (_what, body, flow_id) => {
      expect(await check({ api: as(service.api, await logIn(service)) }, 'kaveri', body)).toMatchObject({
        flow_id,
      });
    });

    it.each(['aravalli', 'nilgiri', 'sahyadri', 'vindhya'])(
      'ignores a savings-account flow at %s, which has none',
      async (slug) => {
        const api = as(service.api, await logIn(service));
        for (const field of ['flowId', 'flow_id']) {
          expect(await check({ api }, slug, { [field]: 'SA' })).toMatchObject({ flow_id: null });
        }
      },
    );

    it.each<[string, string, unknown]>([
      ['kaveri', 'flowId', 'XX'],
      ['kaveri', 'flow_id', 'sa'],
      ['kaveri', 'flowId', ' SA'],
      ['kaveri', 'flowId', 7],
      ['kaveri', 'flow_id', true],
      ['kaveri', 'flowId', ['SA']],
      ['kaveri', 'flow_id', { id: 'SA' }],
      ['kaveri', 'flowId', 'SA'.repeat(40)],
      ['vindhya', 'flowId', 'XX'],
      ['sahyadri', 'flow_id', 'sa'],
    ])('refuses at %s a %s of %j', async (slug, field, value) => {
      const response = await as(service.api, await logIn(service)).post(path(slug), { [field]: value });
      expectRefusal(response, IssuerErrors.flowUnsupported);
      expect(response.body.error[0].f_error_reason).toBe(field);
    });

    it('refuses a request when one of the two flow fields is unsupported', async () => {
      const api = as(service.api, await logIn(service));
      expectRefusal(
        await api.post(path('kaveri'), { flowId: 'SA', flow_id: 'XX' }),
        IssuerErrors.flowUnsupported,
      );
    });
  });

  it('asks issuers at most thirty times a minute for a user', async () => {
    const { api } = await aCustomer();
    const responses = await inParallel(40, async () => api.post(path('nilgiri'), {}));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(10);
    for (const answer of refused) expectRefusal(answer, GeneralErrors.tooManyRequests);
    expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('records the issuer of check-etb as the last one of the user', async () => {
    const user = await logIn(service);
    await check({ api: as(service.api, user) }, 'nilgiri');
    expect(await service.app.get(UsersRepository).lastIssuerOf(user.user_id)).toBe('nilgiri');
  });

  it('stores one record for five parallel checks, with the customer id encrypted', async () => {
    const user = await aCustomer();
    const replica = as((await service.replica()).api, user);
    scripted.behaviour = customerAnswer('COMPLETE', 'SECRET-CUSTOMER-4711');
    const responses = await Promise.all(
      [user.api, replica, user.api, replica, user.api].map((api) => api.post(path('aravalli'), {})),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const rows = await rowsOf(user.user_id);
    expect(rows).toMatchObject([
      {
        is_existing: true,
        is_kyc_complete: true,
        matched_on: ['PAN', 'PHONE'],
        customer_id_encrypted: expect.stringMatching(/^k1\./),
      },
    ]);
    expect(JSON.stringify([rows, responses.map(({ body }) => body as object)])).not.toContain('SECRET');
    expect(service.logs()).not.toContain('SECRET-CUSTOMER');
  });
});
