import type { KycContextPayload } from '@fd/contracts';
import { GeneralErrors, IssuerErrors, JourneyErrors, LeadErrors, SessionErrors } from '@fd/errors';
import type { Environment } from '@fd/platform';
import { expectRefusal, inParallel } from '@fd/testing';
import { ISSUERS } from '../../src/config/issuers.js';
import { issuerPath } from '../support/issuers.js';
import { KYC_CONTEXT_PATH, LEAD_PATH, leadSteps, openLead } from '../support/leads.js';
import { as, logIn } from '../support/login.js';
import { answersJson, BEHAVIOURS, ScriptedProvider, SHORT_WAIT } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const WITHOUT_LEADS = ISSUERS.filter(({ steps }) => !steps.includes('LEAD'));

describe('POST /issuer-apis/{issuer_slug}/v1/kyc-context', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  /** Returns a user with an open lead. */
  const aUser = async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    return { ...user, api, leadId: (await openLead(api)).lead_id };
  };

  it('returns the documents and declarations that the issuer requires, and completes the step', async () => {
    const user = await aUser();
    const response = await user.api.post(KYC_CONTEXT_PATH, { lead_id: user.leadId });
    expect(response.status).toBe(200);
    const { payload } = response.body as { payload: KycContextPayload };
    expect(payload).toEqual({
      kyc_context_id: expect.stringMatching(/./) as string,
      required_documents: ['PAN', 'AADHAAR', 'PHOTO'],
      declarations: expect.arrayContaining([
        { code: 'NOT_PEP', text: expect.stringMatching(/ /) as string },
      ]) as object[],
    });
    expect((await leadSteps(service, user)).KYC_CONTEXT).toEqual({ state: 'DONE', reason: null });
    expect(
      await service.dataSource.query('SELECT kyc_context_id FROM onboarding.leads WHERE id = $1', [
        user.leadId,
      ]),
    ).toEqual([{ kyc_context_id: payload.kyc_context_id }]);
    const again = await user.api.post(KYC_CONTEXT_PATH, { lead_id: user.leadId });
    expect(again.body.payload).toEqual(payload);
  });

  it('rejects the lead of another user as unknown', async () => {
    const [owner, other] = [await aUser(), await aUser()];
    expectRefusal(await other.api.post(KYC_CONTEXT_PATH, { lead_id: owner.leadId }), LeadErrors.unknown);
    expect((await leadSteps(service, owner)).KYC_CONTEXT).toBeUndefined();
    expect((await owner.api.post(KYC_CONTEXT_PATH, { lead_id: owner.leadId })).status).toBe(200);
  });

  it('rejects a lead that the issuer has not accepted yet as unknown', async () => {
    const user = await aUser();
    await service.dataSource.query(`UPDATE onboarding.leads SET state = 'OPENING' WHERE id = $1`, [
      user.leadId,
    ]);
    expectRefusal(await user.api.post(KYC_CONTEXT_PATH, { lead_id: user.leadId }), LeadErrors.unknown);
  });

  it('rejects an expired lead, and makes the LEAD step due again', async () => {
    const user = await aUser();
    await service.dataSource.query(
      `UPDATE onboarding.leads SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [user.leadId],
    );
    for (let i = 0; i < 2; i++) {
      expectRefusal(await user.api.post(KYC_CONTEXT_PATH, { lead_id: user.leadId }), LeadErrors.expired);
    }
    expect((await leadSteps(service, user)).LEAD).toMatchObject({ state: 'NOT_STARTED' });
    expect((await user.api.post(LEAD_PATH, {})).status).toBe(201);
  });

  it.each(WITHOUT_LEADS.map(({ slug }) => [slug]))(
    'answers 404 for %s, which works without leads, for any lead',
    async (slug) => {
      const user = await aUser();
      for (const body of [{ lead_id: user.leadId }, {}]) {
        expectRefusal(
          await user.api.post(issuerPath(slug, 'v1/kyc-context'), body),
          JourneyErrors.stepNotOffered,
        );
      }
    },
  );

  it('rejects an unknown issuer', async () => {
    const user = await aUser();
    expectRefusal(await user.api.post(issuerPath('nobody', 'v1/kyc-context'), {}), IssuerErrors.unknown);
  });

  it('answers 409 before the lead when the journey is strict', async () => {
    const strict = await service.replica({ STRICT_JOURNEY: 'true' });
    const api = as(strict.api, await logIn(service));
    expectRefusal(await api.post(KYC_CONTEXT_PATH, { lead_id: 'l-1' }), JourneyErrors.stepLocked);
    const lead = await api.post(LEAD_PATH, {});
    expect(lead.status).toBe(201);
    expect((await api.post(KYC_CONTEXT_PATH, { lead_id: lead.body.payload.lead_id })).status).toBe(200);
  });

  describe('answers of the issuer', () => {
    let issuer: ScriptedProvider;
    /** Makes fewer calls than those after which a circuit opens. */
    let replica: UsersApp;
    const aReplica = (settings: Environment = {}): Promise<UsersApp> => {
      const overrides = { sahyadri: { url: issuer.url, api_key: 'sahyadri-key' } };
      return service.replica({ ISSUER_API_OVERRIDES: JSON.stringify(overrides), ...settings });
    };
    beforeAll(async () => {
      issuer = await ScriptedProvider.start();
      replica = await aReplica();
    });
    afterAll(() => issuer.stop());

    const ask = async (behaviour: ScriptedProvider['behaviour']) => {
      const user = await aUser();
      issuer.behaviour = behaviour;
      // a rejected key opens the circuit of the replica that called
      const isOwn = behaviour === BEHAVIOURS.rejectsKey || behaviour === BEHAVIOURS.hangs;
      const { api } = isOwn ? await aReplica(behaviour === BEHAVIOURS.hangs ? SHORT_WAIT : {}) : replica;
      return { user, response: await as(api, user).post(KYC_CONTEXT_PATH, { lead_id: user.leadId }) };
    };

    it.each([
      ['has expired', 410, 'lead_expired'],
      ['is unknown', 404, 'unknown_lead'],
    ])(
      'rejects a lead that %s at the issuer as expired, and opens another one',
      async (_what, status, type) => {
        const { user, response } = await ask(answersJson(status, { error: { type, message: '' } }));
        expectRefusal(response, LeadErrors.expired);
        const next = await user.api.post(LEAD_PATH, {});
        expect(next.status).toBe(201);
        expect(next.body.payload.lead_id).not.toBe(user.leadId);
      },
    );

    it.each([
      ['hangs', 'hangs'],
      ['fails', 'fails'],
      ['answers a web page', 'answersHtml'],
      ['answers unexpected JSON', 'answersOtherJson'],
      ['resets the connection', 'resets'],
      ['rejects the API key', 'rejectsKey'],
      ['refuses the call', 'refuses'],
    ] as const)('answers 503 when the issuer %s, and keeps the lead open', async (_what, behaviour) => {
      const { user, response } = await ask(BEHAVIOURS[behaviour]);
      expectRefusal(response, IssuerErrors.unavailable);
      expect((await user.api.post(KYC_CONTEXT_PATH, { lead_id: user.leadId })).status).toBe(200);
    });
  });

  it('rejects a call without an access token', async () => {
    expectRefusal(await service.api.post(KYC_CONTEXT_PATH, {}), SessionErrors.tokenMissing);
  });

  it.each<[unknown]>([
    [undefined],
    [null],
    [''],
    ['l-1'],
    [7],
    [true],
    [['01902d0a-0000-7000-8000-000000000000']],
    [{ id: 'l-1' }],
    ["' OR 1=1 --"],
    ['a\u0000b'],
  ])('rejects the lead id %j and names its field', async (lead_id) => {
    const { api } = await aUser();
    const response = await api.post(KYC_CONTEXT_PATH, { lead_id });
    expectRefusal(response, LeadErrors.unknown);
    expect(response.body.error[0].field).toBe('lead_id');
  });

  it('rejects a lead id that does not exist as unknown', async () => {
    const { api } = await aUser();
    const lead_id = '01902d0a-0000-7000-8000-000000000000';
    expectRefusal(await api.post(KYC_CONTEXT_PATH, { lead_id }), LeadErrors.unknown);
  });

  it('asks issuers at most thirty times a minute for a user, and writes an unchanged lead once', async () => {
    const rowVersion = (leadId: string) =>
      service.dataSource.query('SELECT xmin::text FROM onboarding.leads WHERE id = $1', [leadId]);
    const { api, leadId } = await aUser();
    await api.post(KYC_CONTEXT_PATH, { lead_id: leadId });
    const version = await rowVersion(leadId);
    // the lead and its first context were two of the thirty
    const answers = await inParallel(29, () => api.post(KYC_CONTEXT_PATH, { lead_id: leadId }));

    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(1);
    expectRefusal(refused[0]!, GeneralErrors.tooManyRequests);
    expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThan(0);
    expect(await rowVersion(leadId)).toEqual(version);
  });

  it('returns the same KYC context to ten concurrent calls', async () => {
    const user = await aUser();
    const responses = await inParallel(10, () => user.api.post(KYC_CONTEXT_PATH, { lead_id: user.leadId }));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses[0]!.status).toBe(200);
  });
});
