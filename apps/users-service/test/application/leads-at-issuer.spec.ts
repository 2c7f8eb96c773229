import { IssuerErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { FD_INFO, LEAD_PATH, leadRows, leadSteps, openLead } from '../support/leads.js';
import { as, logIn } from '../support/login.js';
import { answersJson, BEHAVIOURS, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';

describe('a lead with an issuer', () => {
  let service: TestService;
  let issuer: ScriptedProvider;
  beforeAll(async () => {
    issuer = await ScriptedProvider.start();
    service = await startService({
      ISSUER_API_OVERRIDES: JSON.stringify({ sahyadri: { url: issuer.url, api_key: 'sahyadri-key' } }),
    });
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
  /** A user on a replica of their own: what one test does to the issuer leaves the breaker of the others alone. */
  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as((await service.replica()).api, user) };
  };
  const opened = () => issuer.calls.filter(({ path }) => path.endsWith('/leads'));

  it.each<[string, object, object]>([
    ['nothing', {}, { amount: null, tenure_days: null, payout: null, source: null, campaign: null }],
    ['nulls', { fd_info: null, utm: null, source: null }, { amount: null, source: null, campaign: null }],
    [
      'numbers',
      { fd_info: FD_INFO, source: 'APP', utm: { utm_campaign: 'festive', utm_source: 'mail' } },
      { amount: 50_000, tenure_days: 365, payout: 'Maturity', source: 'APP', campaign: 'festive' },
    ],
    [
      'texts',
      {
        fd_info: { amount: '50000.505', tenure: '400', other: { a: [1] } },
        utm: { campaign: 'c', more: null },
      },
      { amount: 50_000.51, tenure_days: 400, payout: null, campaign: 'c' },
    ],
    ['the largest amount', { fd_info: { amount: '9999999999999.99' } }, { amount: 9_999_999_999_999.99 }],
    [
      'blanks',
      { fd_info: { amount: '', payout_frequency: '' }, source: '' },
      { amount: null, payout: null, source: null },
    ],
  ])('is told what the customer wants: %s', async (_what, body, sent) => {
    issuer.behaviour = answersJson(201, leadAnswer('l-1'));
    const { api } = await aUser();
    const { lead_id } = await openLead(api, body);
    expect(opened()).toMatchObject([
      { headers: { 'idempotency-key': lead_id }, body: { reference: lead_id, ...sent } },
    ]);
  });

  it.each([
    'hangs',
    'fails',
    'answersHtml',
    'answersOtherJson',
    'resets',
    'rejectsKey',
    'throttles',
  ] as const)('ISSUER_UNAVAILABLE when it %s; the next call finishes the same lead', async (behaviour) => {
    const user = await aUser();
    issuer.behaviour = BEHAVIOURS[behaviour];
    const response = await user.api.post(LEAD_PATH, { fd_info: FD_INFO });
    expectRefusal(response, IssuerErrors.unavailable);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect((await leadSteps(service, user)).LEAD).toMatchObject({ state: 'IN_PROGRESS' });
    issuer.behaviour = answersJson(201, leadAnswer('l-1'));
    const repeated = await user.api.post(LEAD_PATH, {});
    expect(repeated.status).toBe(201);
    expect(new Set(opened().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(opened().at(-1)!.body).toEqual(opened()[0]!.body);
  });

  it('a lead that the issuer refuses is forgotten: the next may be about something else', async () => {
    const user = await aUser();
    issuer.behaviour = BEHAVIOURS.refuses;
    expectRefusal(await user.api.post(LEAD_PATH, { fd_info: FD_INFO }), IssuerErrors.unavailable);
    expect(await leadRows(service, user)).toEqual([]);
    issuer.behaviour = answersJson(201, leadAnswer('l-1'));
    await openLead(user.api, { fd_info: { amount: 7_000 } });
    expect(opened().at(-1)!.body).toMatchObject({ amount: 7_000 });
  });

  it.each<[string, number, unknown, string]>([
    ['has expired there', 200, leadAnswer('l-1', 'EXPIRED'), 'EXPIRED'],
    ['became a deposit', 200, leadAnswer('l-1', 'CONVERTED'), 'CONVERTED'],
    ['is not known there any more', 404, { error: { type: 'unknown_lead', message: '' } }, 'EXPIRED'],
    ['was cut short there', 200, leadAnswer('l-1', 'OPEN', '2020-01-01T00:00:00Z'), 'EXPIRED'],
  ])('a lead that %s is followed by another one', async (_what, status, body, state) => {
    const user = await aUser();
    issuer.behaviour = answersJson(201, leadAnswer('l-1'));
    const first = await openLead(user.api);
    issuer.behaviour = (response) =>
      (issuer.calls.at(-1)!.method === 'GET'
        ? answersJson(status, body)
        : answersJson(201, leadAnswer('l-2')))(response);
    const second = await user.api.post(LEAD_PATH, {});
    expect(second.status).toBe(201);
    expect(second.body.payload.lead_id).not.toBe(first.lead_id);
    expect(await leadRows(service, user)).toMatchObject([{ id: first.lead_id, state }, { state: 'OPEN' }]);
  });

  it('an answer that was lost long ago, of a lead that is over by now, is followed by another lead', async () => {
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

  it('an issuer that only gives leads which are over is of no use: ISSUER_UNAVAILABLE', async () => {
    const user = await aUser();
    issuer.behaviour = answersJson(201, leadAnswer('l', 'OPEN', '2020-01-01T00:00:00Z'));
    expectRefusal(await user.api.post(LEAD_PATH, {}), IssuerErrors.unavailable);
  });
});
