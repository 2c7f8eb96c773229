import { randomBytes, randomUUID } from 'node:crypto';
import {
  type BookingCheckPayload,
  type JourneyPayload,
  type ConsentsPayload,
  type GivenConsent,
  type KycContextPayload,
  signFactSheet,
} from '@fd/contracts';
import {
  ConsentErrors,
  type ErrorCode,
  type ErrorDefinition,
  errorOf,
  GeneralErrors,
  IssuerErrors,
  JourneyErrors,
  LeadErrors,
  NomineeErrors,
  PanErrors,
  SessionErrors,
} from '@fd/errors';
import type { Environment, NamedKey } from '@fd/platform';
import { type ApiClient, expectRefusal, HINDI, inParallel } from '@fd/testing';
import { ISSUERS } from '../../src/config/issuers.js';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import type { Step } from '../../src/journey/steps/journey.table.js';
import { UsersRepository } from '../../src/identity/index.js';
import { twoMinutesBefore18 } from '../support/fake-clock.js';
import { codeOf } from '../support/inbox.js';
import { issuerPath, type IssuerSlug } from '../support/issuers.js';
import { KYC_CONTEXT_PATH, LEAD_PATH, leadSteps, openLead } from '../support/leads.js';
import { as, type LoggedIn, logIn, verifyBody } from '../support/login.js';
import { aNominee, GUARDIAN, nominate, NOMINEE_PATH, SKIP } from '../support/nominees.js';
import { aPan, panBody, verifyPan } from '../support/pan.js';
import { aPartner } from '../support/partner.js';
import { saveDetails } from '../support/personal-details.js';
import { answersJson, BEHAVIOURS, ScriptedProvider, SHORT_WAIT } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const CLEAN = { is_bookable: true, blockers: [], warnings: [] };

describe('GET /issuer-apis/{issuer_slug}/v1/booking-check', () => {
  let service: TestService;
  let user: LoggedIn;
  let api: ApiClient;
  let journey: JourneyRepository;
  beforeAll(async () => {
    service = await startService();
    journey = service.app.get(JourneyRepository);
  });
  beforeEach(async () => {
    user = await logIn(service);
    api = as(service.api, user);
  });
  afterAll(() => service.close());

  const check = async (slug = 'aravalli') =>
    ((await api.get(`/issuer-apis/${slug}/v1/booking-check`)).body as { payload: BookingCheckPayload })
      .payload;
  const blockersOf = async (slug?: string) =>
    (await check(slug)).blockers.map(({ code, step }) => [code, step]);
  const nextStep = async (slug: string) =>
    ((await api.get(`/issuer-apis/${slug}/v1/journey`)).body as { payload: JourneyPayload }).payload
      .next_step;
  /** Completes the steps of an issuer, without the PAN and the nominee. */
  const finish = async (
    slug: IssuerSlug,
    steps: readonly Step[] = ['EKYC', 'EMAIL', 'PERSONAL_DETAILS', 'BANK'],
  ) => {
    for (const step of steps) {
      // a check compares them with what the issuer requires
      if (step === 'PERSONAL_DETAILS') await saveDetails(api, slug);
      await journey.record(service.database.manager, {
        userId: user.user_id,
        step,
        event: 'COMPLETED',
        issuer: slug,
      });
    }
  };

  it('returns every missing required step as a blocker, in the order of the journey', async () => {
    const response = await api.get('/issuer-apis/aravalli/v1/booking-check');
    const steps = ['PAN', 'EKYC', 'EMAIL', 'PERSONAL_DETAILS', 'BANK', 'NOMINEE'];
    const { message } = JourneyErrors.stepMissing;
    expect({ status: response.status, body: response.body as object }).toEqual({
      status: 200,
      body: {
        success: 1,
        statusCode: 200,
        message: 'SUCCESS',
        payload: {
          is_bookable: false,
          blockers: steps.map((step) => ({
            ...{ code: JourneyErrors.stepMissing.code, message, step },
            way_out: 'Go to this step and finish it.',
          })),
          warnings: [],
        },
      },
    });
    expect((await blockersOf('sahyadri')).map(([, step]) => step)).toEqual(['LEAD', 'KYC_CONTEXT', ...steps]);
  });

  it('allows a booking once all steps with this issuer are done, and with no other issuer', async () => {
    await verifyPan(api);
    await finish('aravalli');
    await nominate(api);
    expect(await check()).toEqual(CLEAN);
    expect((await check('kaveri')).is_bookable).toBe(false);
  });

  it('accepts a nominee waiver, unless the issuer requires a nominee', async () => {
    await verifyPan(api);
    await finish('aravalli');
    await finish('sahyadri', ['LEAD', 'KYC_CONTEXT', 'EKYC', 'EMAIL', 'PERSONAL_DETAILS', 'BANK']);
    await nominate(api, { ...SKIP, issuer_code: 'ARAVFIN' });
    expect(await check()).toEqual(CLEAN);
    expect(await blockersOf('sahyadri')).toEqual([[NomineeErrors.required.code, 'NOMINEE']]);
    expect(await nextStep('aravalli')).toBeNull();
    expect(await nextStep('sahyadri')).toBe('NOMINEE');
  });

  it('blocks the booking until the shares of the nominees add up to 100', async () => {
    await verifyPan(api);
    await finish('aravalli');
    await nominate(api, aNominee({ share_percentage: 66.66 }));
    expect(await blockersOf()).toEqual([[NomineeErrors.sharesIncomplete.code, 'NOMINEE']]);
    await nominate(api, aNominee({ name: 'Ravi Rao', share_percentage: 33.34 }));
    expect(await blockersOf()).toEqual([]);
  });

  it('blocks the booking at every issuer while a nominee has the name of the applicant', async () => {
    await nominate(api, aNominee({ name: 'Meera Rao', nomination_type: 'SUCCESSIVE' }));
    const { full_name } = await verifyPan(api);
    for (const slug of ['aravalli', 'sahyadri'] as const) {
      await finish(slug, ['LEAD', 'KYC_CONTEXT', 'EKYC', 'EMAIL', 'PERSONAL_DETAILS', 'BANK']);
    }
    const reordered = full_name.toLowerCase().split(' ').reverse().join(' ');
    const { nominee_id } = await nominate(api, aNominee({ name: `Shri ${reordered}` }));
    for (const slug of ['aravalli', 'sahyadri']) {
      expect(await blockersOf(slug)).toEqual([[NomineeErrors.isApplicant.code, 'NOMINEE']]);
    }
    await api.delete(`${NOMINEE_PATH}/${nominee_id}`);
    expect((await check()).is_bookable).toBe(true);
  });

  it('returns all blockers at once, each with its own message', async () => {
    const { full_name } = await verifyPan(api);
    await nominate(api, aNominee({ name: full_name, share_percentage: 50 }));
    const { blockers } = await check();
    expect(blockers.map(({ code }) => code)).toEqual([
      ...Array<string>(4).fill(JourneyErrors.stepMissing.code),
      NomineeErrors.sharesIncomplete.code,
      NomineeErrors.isApplicant.code,
    ]);
    for (const { code, message } of blockers) expect(message).toBe(errorOf(code as ErrorCode).message);
  });

  it('blocks the booking of an applicant until midnight in India before the 18th birthday', async () => {
    const replica = await service.replica();
    const { clock } = replica;
    const { dob } = twoMinutesBefore18(clock);
    const codes = async () => {
      const path = '/issuer-apis/aravalli/v1/booking-check';
      const { body } = await as(replica.api, await logIn(replica, user.phone)).get(path);
      return (body as { payload: BookingCheckPayload }).payload.blockers.map(({ code }) => code);
    };
    await verifyPan(api, panBody(aPan(), dob));
    expect(await codes()).toContain(PanErrors.applicantMinor.code);
    clock.advanceSeconds(180);
    expect(await codes()).not.toContain(PanErrors.applicantMinor.code);
  });

  const minor = (guardian: object) =>
    aNominee({ dob: `${new Date().getUTCFullYear() - 9}-03-09`, guardian: { ...GUARDIAN, ...guardian } });

  it.each([
    [
      'an applicant under 18',
      PanErrors.applicantMinor,
      () => verifyPan(api, panBody(aPan(), `${new Date().getUTCFullYear() - 9}-03-09`)),
    ],
    ['the PAN of a company', PanErrors.notOfPerson, () => verifyPan(api, panBody(aPan({ holder: 'C' })))],
    [
      'a guardian without a date of birth',
      NomineeErrors.guardianAgeUnknown,
      () => nominate(api, minor({ dob: undefined })),
    ],
    [
      'a guardian with the name of the minor',
      NomineeErrors.guardianIsNominee,
      () => nominate(api, minor({ name: 'Rao Meera' })),
    ],
  ] as const)('blocks the booking with %s, which the call accepts', async (_what, error, make) => {
    await make();
    const { blockers } = await check();
    expect(blockers.filter(({ code }) => code !== JourneyErrors.stepMissing.code)).toEqual([
      {
        ...{ code: error.code, message: error.message },
        step: Object.values<ErrorDefinition>(PanErrors).includes(error) ? 'PAN' : 'NOMINEE',
        way_out: expect.stringMatching(/^[A-Z].*\.$/) as string,
      },
    ]);
  });

  it('only warns of a PAN without an Aadhaar, and of more nominees than an NBFC may register', async () => {
    await verifyPan(api, panBody(aPan({ digits: '0401' })));
    for (const slug of ['aravalli', 'kaveri'] as const) await finish(slug);
    await nominate(api, {
      nominees: ['Meera Rao', 'Ravi Rao'].map((name) => aNominee({ name, share_percentage: 50 })),
    });
    const warningsOf = async (slug: string) => {
      const { is_bookable, warnings } = await check(slug);
      return [is_bookable, warnings.map(({ code, step }) => [code, step])];
    };
    const inoperative = [PanErrors.inoperative.code, 'PAN'];
    expect(await warningsOf('aravalli')).toEqual([
      true,
      [inoperative, [NomineeErrors.tooManyForIssuer.code, 'NOMINEE']],
    ]);
    expect(await warningsOf('kaveri')).toEqual([true, [inoperative]]);
  });

  it.each(ISSUERS.map(({ slug, type }) => [slug, type]))(
    'returns every finding and its way out in Hindi on request: %s',
    async (slug, type) => {
      const born = `${new Date().getUTCFullYear() - 9}-03-09`;
      const { full_name } = await verifyPan(api, panBody(aPan({ digits: '0401', holder: 'C' }), born));
      const guarded = (guardian: object) => ({ ...minor(guardian), share_percentage: 20 });
      await nominate(api, {
        nominees: [
          aNominee({ name: full_name, share_percentage: 20 }),
          guarded({ dob: undefined }),
          { ...guarded({ name: 'Zara Quill' }), name: 'Quill Zara' },
        ],
      });
      const path = `/issuer-apis/${slug}/v1/booking-check`;
      const { body } = await api.get(path, { query: { lang: 'hi' } });
      const { blockers, warnings } = (body as { payload: BookingCheckPayload }).payload;
      const found = [...blockers, ...warnings];
      expect(new Set(found.map(({ code }) => code))).toEqual(
        new Set([
          JourneyErrors.stepMissing.code,
          PanErrors.applicantMinor.code,
          PanErrors.notOfPerson.code,
          PanErrors.inoperative.code,
          NomineeErrors.sharesIncomplete.code,
          NomineeErrors.guardianAgeUnknown.code,
          NomineeErrors.guardianIsNominee.code,
          NomineeErrors.isApplicant.code,
          // banks may register all of them
          ...(type === 'NBFC' ? [NomineeErrors.tooManyForIssuer.code] : []),
        ]),
      );
      for (const { message, way_out } of found) {
        expect(message).toMatch(HINDI);
        expect(way_out).toMatch(HINDI);
      }
    },
  );

  it('refuses a language in which it has no texts', async () => {
    const response = await api.get('/issuer-apis/aravalli/v1/booking-check', { query: { lang: 'fr' } });
    expectRefusal(response, ConsentErrors.languageUnknown);
  });

  it.each(['nobody', 'ARAVFIN', '%00', '..%2f', "' OR 1=1 --"])(
    'rejects the unknown issuer %j',
    async (slug) => {
      const path = `/issuer-apis/${encodeURIComponent(slug)}/v1/booking-check`;
      expectRefusal(await api.get(path), IssuerErrors.unknown);
    },
  );

  it('rejects a call without an access token', async () => {
    expectRefusal(
      await service.api.get('/issuer-apis/aravalli/v1/booking-check'),
      SessionErrors.tokenMissing,
    );
  });

  it('changes only the last issuer of the user', async () => {
    const before = await journey.statesOf(user.user_id, 'nilgiri');
    await check('nilgiri');
    expect(await journey.statesOf(user.user_id, 'nilgiri')).toEqual(before);
    expect(await service.app.get(UsersRepository).lastIssuerOf(user.user_id)).toBe('nilgiri');
  });

  describe('with the hash of a fact sheet', () => {
    const HASHES = ['a', 'b'].map((digit) => digit.repeat(64));
    const checkWith = (hash: string | string[]) =>
      api.get('/issuer-apis/aravalli/v1/booking-check', { query: { fact_sheet_hash: hash } });
    const termsOf = async () => {
      const { body } = await api.get('/api/v1/consents');
      const { consents } = (body as { payload: ConsentsPayload }).payload;
      return consents.filter(({ purpose }) => purpose === 'DEPOSIT_TERMS');
    };

    it('records a consent to each sheet once, even in parallel, and answers as without the hash', async () => {
      const without = await check();
      for (const hash of HASHES) {
        const answers = await inParallel(5, () => checkWith(hash));
        for (const { status, body } of answers)
          expect([status, (body as { payload: object }).payload]).toEqual([200, without]);
      }
      const given = await termsOf();
      expect(given.map(({ fact_sheet_hash: hash }) => hash).sort()).toEqual(HASHES);
      expect(given[0]).toMatchObject({ notice_version: '2026-11', withdrawn_at: null });
    });

    it('records one audit event for each consent', async () => {
      await inParallel(5, () => checkWith(HASHES[0]!));
      const [{ consent_id: id }] = (await termsOf()) as [GivenConsent];
      const events = await service.dataSource.query<{ action: string }[]>(
        `SELECT action FROM onboarding.audit_unsealed WHERE object_id = $1
         UNION ALL SELECT action FROM onboarding.audit_events WHERE object_id = $1`,
        [id],
      );
      expect(events).toEqual([{ action: 'CONSENT_GIVEN' }]);
    });

    it('allows the consent to be withdrawn and given again', async () => {
      await checkWith(HASHES[0]!);
      const [{ consent_id: id }] = (await termsOf()) as [GivenConsent];
      expect((await api.post(`/api/v1/consents/${id}/withdraw`, {})).status).toBe(200);
      await checkWith(HASHES[0]!);
      expect((await termsOf()).map(({ withdrawn_at: at }) => at === null)).toEqual([true, false]);
    });

    it.each([['abc'], ['A'.repeat(64)], [''], ['a'.repeat(65)], [['a'.repeat(64), 'b'.repeat(64)]]])(
      'refuses the invalid hash %j',
      async (hash) => {
        expectRefusal(await checkWith(hash), ConsentErrors.factSheetHashInvalid);
        expect(await termsOf()).toEqual([]);
      },
    );

    it('records at most fifty in a day', async () => {
      for (let n = 0; n < 50; n++)
        expect((await checkWith(n.toString(16).padStart(64, '0'))).status).toBe(200);
      const refused = await checkWith(HASHES[0]!);
      expectRefusal(refused, GeneralErrors.tooManyRequests);
      // until the first is a day old
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
      // a recorded one does not count again
      expect((await checkWith('0'.repeat(64))).status).toBe(200);
      expect(await termsOf()).toHaveLength(50);
    });
  });
});

describe('booking check of an issuer that requires a fact sheet', () => {
  const [key, former] = ['f2', 'f1'].map((id) => ({ id, bytes: randomBytes(32) })) as [NamedKey, NamedKey];
  const HASH = 'c'.repeat(64);
  let service: TestService;
  beforeAll(async () => {
    service = await startService({
      FACT_SHEET_REQUIRED: 'aravalli',
      FACT_SHEET_KEYS: [key, former].map(({ id, bytes }) => `${id}:${bytes.toString('base64')}`).join(),
    });
  });
  afterAll(() => service.close());

  const NOT_SHOWN = [ConsentErrors.factSheetNotShown.code, 'FD_DETAIL'];
  const check = (api: ApiClient, query: Record<string, string> = {}, slug = 'aravalli') =>
    api.get(`/issuer-apis/${slug}/v1/booking-check`, { query });
  const isShown = async (api: ApiClient, query?: Record<string, string>, slug?: string) => {
    const { blockers } = ((await check(api, query, slug)).body as { payload: BookingCheckPayload }).payload;
    return !blockers.some(({ code, step }) => code === NOT_SHOWN[0] && step === NOT_SHOWN[1]);
  };
  const signed = (by = key, code = 'ARAVFIN') => ({
    fact_sheet_hash: HASH,
    fact_sheet_signature: signFactSheet(by, code, HASH),
  });

  it('blocks until the user has agreed to a sheet that master-service has signed, and stays open then', async () => {
    const api = as(service.api, await logIn(service));
    expect(await isShown(api)).toBe(false);
    expect(await isShown(api, { fact_sheet_hash: HASH })).toBe(false);
    // the consent to this hash is known already
    expect(await isShown(api, signed())).toBe(true);
    expect(await isShown(api)).toBe(true);
    expect(await isShown(api, { fact_sheet_hash: HASH })).toBe(true);
    const { body } = await api.get('/api/v1/consents');
    const terms = (body as { payload: ConsentsPayload }).payload.consents.filter(
      ({ purpose }) => purpose === 'DEPOSIT_TERMS',
    );
    expect(terms).toHaveLength(1);
    expect((await api.post(`/api/v1/consents/${terms[0]!.consent_id}/withdraw`, {})).status).toBe(200);
    expect(await isShown(api)).toBe(false);
    expect(await isShown(api, signed(former))).toBe(true);
  });

  it('does not ask at issuers that do not require it', async () => {
    expect(await isShown(as(service.api, await logIn(service)), {}, 'kaveri')).toBe(true);
  });

  it('counts a sheet only in sessions of the partner who showed it', async () => {
    const user = await logIn(service);
    expect(await isShown(as(service.api, user), signed())).toBe(true);
    const url = `https://app.${randomUUID()}.example`;
    await aPartner(service.dataSource, { url });
    const { phone } = user;
    await service.api.post('/auth/register', { phone });
    const { body } = await service.api.post(
      '/auth/api/v2/register/verify',
      verifyBody(phone, await codeOf(phone), url),
    );
    const other = as(service.api, (body as { payload: LoggedIn }).payload);
    expect(await isShown(other)).toBe(false);
    expect(await isShown(as(service.api, user))).toBe(true);
  });

  it.each([
    ['of another issuer', signed(key, 'KAVSFB')],
    ['of another sheet', { ...signed(), fact_sheet_hash: 'd'.repeat(64) }],
    ['of an unknown key', signed({ id: 'f3', bytes: key.bytes })],
    ['of a key with the same name', signed({ ...key, bytes: randomBytes(32) })],
    ['without its sheet', { fact_sheet_signature: signed().fact_sheet_signature }],
    ['in another form', { ...signed(), fact_sheet_signature: 'abc' }],
  ])('refuses a signature %s, and records nothing', async (_what, query) => {
    const api = as(service.api, await logIn(service));
    expectRefusal(await check(api, query), ConsentErrors.factSheetSignatureInvalid);
    const { body } = await api.get('/api/v1/consents');
    const { consents } = (body as { payload: ConsentsPayload }).payload;
    expect(consents.map(({ purpose }) => purpose)).toEqual(['TERMS_OF_USE']);
  });
});

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
