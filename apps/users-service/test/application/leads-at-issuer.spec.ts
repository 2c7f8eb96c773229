import { GeneralErrors, IssuerErrors } from '@fd/errors';
import { expectRefusal, inParallel } from '@fd/testing';
import { FD_INFO, forgetConfirmation, LEAD_PATH, leadRows, leadSteps, openLead } from '../support/leads.js';
import { as, logIn } from '../support/login.js';
import { answersJson, BEHAVIOURS, ScriptedProvider, SHORT_WAIT } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const ROW_VERSION = 'SELECT xmin::text FROM onboarding.leads WHERE id = $1';

describe('POST /issuer-apis/{issuer_slug}/v1/lead', () => {
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

  it('asks the issuer about an open lead at most once a minute', async () => {
    issuer.behaviour = (response) =>
      answersJson(issuer.calls.at(-1)!.method === 'GET' ? 200 : 201, leadAnswer('l-1'))(response);
    const { api } = await aUser();
    const first = await openLead(api);
    await forgetConfirmation(service, first);
    const [row] = await service.dataSource.query<[{ xmin: string }]>(ROW_VERSION, [first.lead_id]);
    for (let i = 0; i < 31; i++) {
      const again = await api.post(LEAD_PATH, {});
      expect([again.status, again.body.payload]).toEqual([200, first]);
    }
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
