import type { BookingCheckPayload, LeadPayload } from '@fd/contracts';
import { GeneralErrors, IssuerErrors, JourneyErrors, SessionErrors } from '@fd/errors';
import { expectRefusal, inParallel } from '@fd/testing';
import { v7 as uuidv7 } from 'uuid';
import { LeadsRepository } from '../../src/application/leads/leads.repository.js';
import { ISSUERS } from '../../src/config/issuers.js';
import { UsersRepository } from '../../src/identity/index.js';
import { effectsOf } from '../support/effects.js';
import { issuerPath } from '../support/issuers.js';
import { FD_INFO, forgetConfirmation, LEAD_PATH, leadRows, leadSteps, openLead } from '../support/leads.js';
import { as, logIn } from '../support/login.js';
import { answersJson, BEHAVIOURS, ScriptedProvider, SHORT_WAIT } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const WITHOUT_LEADS = ISSUERS.filter(({ steps }) => !steps.includes('LEAD'));

describe('POST /issuer-apis/{issuer_slug}/v1/lead', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };

  describe('success', () => {
    it('opens a lead at the issuer with the lead id as idempotency key, and completes the steps', async () => {
      const user = await aUser();
      const response = await user.api.post(LEAD_PATH, { fd_info: FD_INFO, source: 'APP' });
      expect([response.status, response.body.statusCode]).toEqual([201, 201]);
      const { payload } = response.body as { payload: LeadPayload };
      expect(payload).toEqual({
        lead_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        lead_status: 'OPEN',
        expires_at: expect.any(String) as string,
      });
      expect(Date.parse(payload.expires_at)).toBeGreaterThan(Date.now());
      expect(await effectsOf('issuer:sahyadri', payload.lead_id)).toEqual([
        expect.objectContaining({ kind: 'lead', idempotency_key: payload.lead_id, calls: 1 }),
      ]);
      expect(await leadSteps(service, user)).toMatchObject({
        FD_DETAIL: { state: 'DONE' },
        LEAD: { state: 'DONE' },
      });
      const journey = await user.api.get(issuerPath('sahyadri', 'v1/journey'));
      expect(journey.body.payload.next_step).toBe('KYC_CONTEXT');
    });

    it('answers 200 with the open lead and ignores new deposit terms', async () => {
      const { api } = await aUser();
      const first = await openLead(api, { fd_info: FD_INFO });
      const again = await api.post(LEAD_PATH, { fd_info: { amount: 1 } });
      expect([again.status, again.body.statusCode, again.body.payload]).toEqual([200, 200, first]);
      expect(await effectsOf('issuer:sahyadri', first.lead_id)).toHaveLength(1);
    });

    it('leaves the FD_DETAIL step alone when the call does not describe a deposit', async () => {
      const user = await aUser();
      await openLead(user.api, { fd_info: { amount: null, tenure: '' } });
      expect((await leadSteps(service, user)).FD_DETAIL).toBeUndefined();
    });

    it('repeats its answer to a call with the same Idempotency-Key', async () => {
      const { api } = await aUser();
      const call = () => api.post(LEAD_PATH, {}, { headers: { 'idempotency-key': 'lead-1' } });
      const [first, second] = [await call(), await call()];
      expect([second.status, second.body as object]).toEqual([201, first.body]);
      expect(second.headers['idempotent-replayed']).toBe('true');
    });

    it('records the issuer as the last one of the user', async () => {
      const user = await aUser();
      await openLead(user.api);
      expect(await service.app.get(UsersRepository).lastIssuerOf(user.user_id)).toBe('sahyadri');
    });

    it('finishes a lead whose first call died before it stored the answer of the issuer', async () => {
      const user = await aUser();
      const { lead_id } = await openLead(user.api, { fd_info: FD_INFO });
      // the issuer keeps its lead; our row is as a crash before the answer leaves it
      await service.dataSource.query(
        `UPDATE onboarding.leads SET state = 'OPENING', issuer_lead_id = NULL, expires_at = NULL WHERE id = $1`,
        [lead_id],
      );
      const repeated = await user.api.post(LEAD_PATH, {});
      expect([repeated.status, repeated.body.payload.lead_id]).toEqual([201, lead_id]);
      expect(await effectsOf('issuer:sahyadri', lead_id)).toEqual([expect.objectContaining({ calls: 2 })]);
      expect(await leadRows(service, user)).toMatchObject([{ state: 'OPEN', amount: '50000.00' }]);
    });

    it('opens another lead after the first has expired, and makes the KYC context due again', async () => {
      const user = await aUser();
      const old = await openLead(user.api);
      await user.api.post(issuerPath('sahyadri', 'v1/kyc-context'), { lead_id: old.lead_id });
      await service.dataSource.query(
        `UPDATE onboarding.leads SET expires_at = now() - interval '1 second' WHERE id = $1`,
        [old.lead_id],
      );
      const response = await user.api.post(LEAD_PATH, {});
      expect(response.status).toBe(201);
      expect(response.body.payload.lead_id).not.toBe(old.lead_id);
      expect(await leadRows(service, user)).toMatchObject([{ state: 'EXPIRED' }, { state: 'OPEN' }]);
      expect(await leadSteps(service, user)).toMatchObject({
        LEAD: { state: 'DONE' },
        KYC_CONTEXT: { state: 'NOT_STARTED' },
      });
    });
  });

  it('makes the steps of a lead that has expired due at the booking check, and completes none by a late answer', async () => {
    const user = await aUser();
    const { lead_id } = await openLead(user.api);
    await user.api.post(issuerPath('sahyadri', 'v1/kyc-context'), { lead_id });
    const blocking = async () =>
      (
        (await user.api.get(issuerPath('sahyadri', 'v1/booking-check'))).body as {
          payload: BookingCheckPayload;
        }
      ).payload.blockers.map(({ step }) => step);
    expect(await blocking()).not.toContain('LEAD');
    await service.dataSource.query(
      `UPDATE onboarding.leads SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [lead_id],
    );
    expect(await blocking()).toEqual(expect.arrayContaining(['LEAD', 'KYC_CONTEXT']));
    expect(await leadRows(service, user)).toMatchObject([{ state: 'EXPIRED' }]);
    const owner = { userId: user.user_id, issuer: 'sahyadri' };
    await service.app.get(LeadsRepository).recordKycContext(owner, lead_id, 'late');
    expect(await leadSteps(service, user)).toMatchObject({
      LEAD: { state: 'NOT_STARTED' },
      KYC_CONTEXT: { state: 'NOT_STARTED' },
    });
  });

  describe('refusals', () => {
    it.each(WITHOUT_LEADS.map(({ slug }) => [slug]))(
      'answers 404 for %s, which works without leads',
      async (slug) => {
        const { api } = await aUser();
        expectRefusal(
          await api.post(issuerPath(slug, 'v1/lead'), { fd_info: FD_INFO }),
          JourneyErrors.stepNotOffered,
        );
      },
    );

    it('rejects an unknown issuer', async () => {
      const { api } = await aUser();
      expectRefusal(await api.post(issuerPath('nobody', 'v1/lead'), {}), IssuerErrors.unknown);
    });

    it('rejects a call without an access token', async () => {
      expectRefusal(await service.api.post(LEAD_PATH, {}), SessionErrors.tokenMissing);
    });

    it.each<[string, unknown, string]>([
      ['fd_info', 'Maturity', 'fd_info'],
      ['fd_info', 7, 'fd_info'],
      ['fd_info', true, 'fd_info'],
      ['fd_info', [FD_INFO], 'fd_info'],
      ['fd_info', { note: 'x'.repeat(4_000) }, 'fd_info'],
      ['fd_info', { amount: 'much' }, 'fd_info.amount'],
      ['fd_info', { amount: '5,000' }, 'fd_info.amount'],
      ['fd_info', { amount: -1 }, 'fd_info.amount'],
      ['fd_info', { amount: '999999999999999.99' }, 'fd_info.amount'],
      ['fd_info', { amount: 999999999999999 }, 'fd_info.amount'],
      ['fd_info', { amount: 0 }, 'fd_info.amount'],
      ['fd_info', { amount: 1e300 }, 'fd_info.amount'],
      ['fd_info', { amount: true }, 'fd_info.amount'],
      ['fd_info', { amount: [5_000] }, 'fd_info.amount'],
      ['fd_info', { amount: { rupees: 1 } }, 'fd_info.amount'],
      ['fd_info', { tenure: '12 months' }, 'fd_info.tenure'],
      ['fd_info', { tenure: 0 }, 'fd_info.tenure'],
      ['fd_info', { tenure: 365.5 }, 'fd_info.tenure'],
      ['fd_info', { tenure: 99_999 }, 'fd_info.tenure'],
      ['fd_info', { payout_frequency: 4 }, 'fd_info.payout_frequency'],
      ['fd_info', { payout_frequency: "'; --" }, 'fd_info.payout_frequency'],
      ['fd_info', { payout_frequency: ['Monthly'] }, 'fd_info.payout_frequency'],
      ['utm', 'festive', 'utm'],
      ['utm', ['festive'], 'utm'],
      ['utm', { utm_campaign: 7 }, 'utm'],
      ['utm', { utm_campaign: { name: 'x' } }, 'utm'],
      ['utm', { utm_campaign: 'x'.repeat(101) }, 'utm'],
      ['utm', { utm_campaign: 'a\u0000b' }, 'utm'],
      ['source', 7, 'source'],
      ['source', { a: 1 }, 'source'],
      ['source', 'a\u0000b', 'source'],
      ['source', 'a\ud800b', 'source'],
      ['source', 'x'.repeat(101), 'source'],
    ])('rejects %s with the invalid value %j, and stores no lead', async (field, value, reported) => {
      const user = await aUser();
      const response = await user.api.post(LEAD_PATH, { [field]: value });
      expectRefusal(response, GeneralErrors.fieldInvalid);
      expect(response.body.error[0].f_error_reason).toBe(reported);
      expect(await leadRows(service, user)).toEqual([]);
    });

    it('reports all invalid fields in the order of the contract', async () => {
      const { api } = await aUser();
      const response = await api.post(LEAD_PATH, { source: 7, utm: 7, fd_info: 7 });
      const { fieldInvalid } = GeneralErrors;
      expectRefusal(response, fieldInvalid, fieldInvalid, fieldInvalid);
      const fields = (response.body.error as { field: string }[]).map(({ field }) => field);
      expect(fields).toEqual(['fd_info', 'utm', 'source']);
    });
  });

  it('allows at most one open lead of a user at an issuer in PostgreSQL', async () => {
    const user = await aUser();
    await openLead(user.api);
    const insert = service.dataSource.query(
      `INSERT INTO onboarding.leads (id, user_id, issuer_slug, state) VALUES ($1, $2, 'sahyadri', 'OPENING')`,
      [uuidv7(), user.user_id],
    );
    await expect(insert).rejects.toMatchObject({ driverError: { constraint: 'uq_leads__open' } });
  });

  it('opens one lead for ten concurrent calls on two replicas', async () => {
    const other = await service.replica();
    const user = await aUser();
    const replica = as(other.api, user);
    const open = (i: number) => (i % 2 ? user.api : replica).post(LEAD_PATH, { fd_info: { amount: i + 1 } });
    const responses = await inParallel(10, open);
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
    const ids = new Set(responses.map(({ body }) => (body as { payload: LeadPayload }).payload.lead_id));
    expect(ids.size).toBe(1);
    expect(await effectsOf('issuer:sahyadri', [...ids][0]!)).toHaveLength(1);
    expect(await leadRows(service, user)).toHaveLength(1);
  });
});

const ROW_VERSION = 'SELECT xmin::text FROM onboarding.leads WHERE id = $1';

describe('the issuer behind POST /issuer-apis/{issuer_slug}/v1/lead', () => {
  let service: TestService;
  let issuer: ScriptedProvider;
  /** Makes failing calls only, fewer than those after which a circuit opens. */
  let failing: UsersApp;
  beforeAll(async () => {
    issuer = await ScriptedProvider.start();
    service = await startService({
      ISSUER_API_OVERRIDES: JSON.stringify({ sahyadri: { url: issuer.url, api_key: 'sahyadri-key' } }),
    });
    failing = await service.replica();
  });
  afterAll(async () => {
    await service.close();
    await issuer.stop();
  });
  beforeEach(() => {
    issuer.calls.length = 0;
  });

  const leadAnswer = (lead_id: string, state = 'OPEN', expires_at = '2099-01-01T00:00:00+05:30') => ({
    lead_id,
    state,
    expires_at,
  });
  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };
  const opened = () => issuer.calls.filter(({ path }) => path.endsWith('/leads'));

  it.each<[string, object, object]>([
    [
      'nulls for an empty body',
      {},
      { amount: null, tenure_days: null, payout: null, source: null, campaign: null },
    ],
    [
      'nulls for null fields',
      { fd_info: null, utm: null, source: null },
      { amount: null, source: null, campaign: null },
    ],
    [
      'the deposit, source and campaign as given',
      { fd_info: FD_INFO, source: 'APP', utm: { utm_campaign: 'festive', utm_source: 'mail' } },
      { amount: 50_000, tenure_days: 365, payout: 'Maturity', source: 'APP', campaign: 'festive' },
    ],
    [
      'numbers for an amount and a tenure given as text',
      {
        fd_info: { amount: '50000.505', tenure: '400', other: { a: [1] } },
        utm: { campaign: 'c', more: null },
      },
      { amount: 50_000.51, tenure_days: 400, payout: null, campaign: 'c' },
    ],
    ['the largest amount', { fd_info: { amount: '9999999999999.99' } }, { amount: 9_999_999_999_999.99 }],
    [
      'nulls for blank fields',
      { fd_info: { amount: '', payout_frequency: '' }, source: '' },
      { amount: null, payout: null, source: null },
    ],
  ])('sends the issuer %s, with the lead id as idempotency key', async (_what, body, sent) => {
    issuer.behaviour = answersJson(201, leadAnswer('l-1'));
    const { api } = await aUser();
    const { lead_id } = await openLead(api, body);
    expect(opened()).toMatchObject([
      { headers: { 'idempotency-key': lead_id }, body: { reference: lead_id, ...sent } },
    ]);
  });

  it.each([
    ['hangs', 'hangs'],
    ['fails', 'fails'],
    ['answers a web page', 'answersHtml'],
    ['answers unexpected JSON', 'answersOtherJson'],
    ['resets the connection', 'resets'],
    ['rejects the API key', 'rejectsKey'],
    ['answers 429', 'throttles'],
  ] as const)(
    'answers 503 with Retry-After when the issuer %s, and the next call finishes the same lead',
    async (_what, behaviour) => {
      const user = await aUser();
      issuer.behaviour = BEHAVIOURS[behaviour];
      // a rejected key opens the circuit of the replica that called, and 429 makes it pause
      const isOwn = ['rejectsKey', 'throttles', 'hangs'].includes(behaviour);
      const failed = isOwn ? await service.replica(behaviour === 'hangs' ? SHORT_WAIT : {}) : failing;
      const response = await as(failed.api, user).post(LEAD_PATH, { fd_info: FD_INFO });
      expectRefusal(response, IssuerErrors.unavailable);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      expect((await leadSteps(service, user)).LEAD).toMatchObject({ state: 'IN_PROGRESS' });
      issuer.behaviour = answersJson(201, leadAnswer('l-1'));
      const repeated = await user.api.post(LEAD_PATH, {});
      expect(repeated.status).toBe(201);
      expect(new Set(opened().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      expect(opened().at(-1)!.body).toEqual(opened()[0]!.body);
    },
  );

  it('deletes a lead that the issuer refuses, so that the next call may describe another deposit', async () => {
    const user = await aUser();
    issuer.behaviour = BEHAVIOURS.refuses;
    expectRefusal(await user.api.post(LEAD_PATH, { fd_info: FD_INFO }), IssuerErrors.unavailable);
    expect(await leadRows(service, user)).toEqual([]);
    issuer.behaviour = answersJson(201, leadAnswer('l-1'));
    await openLead(user.api, { fd_info: { amount: 7_000 } });
    expect(opened().at(-1)!.body).toMatchObject({ amount: 7_000 });
  });

  it.each<[string, number, unknown, string]>([
    ['has expired at the issuer', 200, leadAnswer('l-1', 'EXPIRED'), 'EXPIRED'],
    ['has become a deposit at the issuer', 200, leadAnswer('l-1', 'CONVERTED'), 'CONVERTED'],
    ['is no longer known to the issuer', 404, { error: { type: 'unknown_lead', message: '' } }, 'EXPIRED'],
    ['now ends earlier at the issuer', 200, leadAnswer('l-1', 'OPEN', '2020-01-01T00:00:00Z'), 'EXPIRED'],
  ])('opens another lead when the first one %s', async (_what, status, body, state) => {
    const user = await aUser();
    issuer.behaviour = answersJson(201, leadAnswer('l-1'));
    const first = await openLead(user.api);
    await forgetConfirmation(service, first);
    issuer.behaviour = (response) =>
      (issuer.calls.at(-1)!.method === 'GET'
        ? answersJson(status, body)
        : answersJson(201, leadAnswer('l-2')))(response);
    const second = await user.api.post(LEAD_PATH, {});
    expect(second.status).toBe(201);
    expect(second.body.payload.lead_id).not.toBe(first.lead_id);
    expect(await leadRows(service, user)).toMatchObject([{ id: first.lead_id, state }, { state: 'OPEN' }]);
  });

  it('keeps the later end of a lead that the issuer has extended', async () => {
    const user = await aUser();
    issuer.behaviour = answersJson(201, leadAnswer('l-1'));
    const lead = await openLead(user.api);
    await forgetConfirmation(service, lead);
    issuer.behaviour = answersJson(200, leadAnswer('l-1', 'OPEN', '2100-01-01T00:00:00Z'));
    expect((await openLead(user.api)).expires_at).toBe('2100-01-01T00:00:00.000Z');
    // within the minute in which the issuer is not asked
    expect((await openLead(user.api)).expires_at).toBe('2100-01-01T00:00:00.000Z');
  });

  it('asks the issuer about an open lead at most once a minute', async () => {
    issuer.behaviour = (response) =>
      answersJson(issuer.calls.at(-1)!.method === 'GET' ? 200 : 201, leadAnswer('l-1'))(response);
    const { api } = await aUser();
    const first = await openLead(api);
    await forgetConfirmation(service, first);
    const [row] = await service.dataSource.query<[{ xmin: string }]>(ROW_VERSION, [first.lead_id]);
    // the others together, within that minute
    const repeats = [await api.post(LEAD_PATH, {}), ...(await inParallel(30, () => api.post(LEAD_PATH, {})))];
    for (const again of repeats) expect([again.status, again.body.payload]).toEqual([200, first]);
    expect(issuer.calls.map(({ method }) => method)).toEqual(['POST', 'GET']);
    const rows = await service.dataSource.query<[{ xmin: string }]>(ROW_VERSION, [first.lead_id]);
    await openLead(api, { fd_info: { amount: 1 } });
    expect(await service.dataSource.query(ROW_VERSION, [first.lead_id])).toEqual(rows);
    expect(rows[0].xmin).not.toBe(row.xmin);
  });

  it('calls the issuer at most thirty times a minute for a user whose lead does not open', async () => {
    const { api } = await aUser();
    issuer.behaviour = answersJson(201, leadAnswer('l', 'OPEN', '2020-01-01T00:00:00Z'));
    const responses = await inParallel(10, () => api.post(LEAD_PATH, {}));
    expect(issuer.calls.length).toBeLessThanOrEqual(30);
    const refused = await api.post(LEAD_PATH, {});
    expectRefusal(refused, GeneralErrors.tooManyRequests);
    expect(responses.map(({ status }) => status)).not.toContain(500);
  });

  it('opens another lead when the issuer answers the first call with an expired lead', async () => {
    const user = await aUser();
    issuer.behaviour = (response) =>
      answersJson(
        201,
        leadAnswer('l', 'OPEN', opened().length > 1 ? '2099-01-01T00:00:00Z' : '2020-01-01T00:00:00Z'),
      )(response);
    const { lead_id } = await openLead(user.api);
    expect(await leadRows(service, user)).toMatchObject([
      { state: 'EXPIRED' },
      { id: lead_id, state: 'OPEN' },
    ]);
  });

  it('answers 503 when the issuer answers only with expired leads', async () => {
    const user = await aUser();
    issuer.behaviour = answersJson(201, leadAnswer('l', 'OPEN', '2020-01-01T00:00:00Z'));
    expectRefusal(await user.api.post(LEAD_PATH, {}), IssuerErrors.unavailable);
  });
});
