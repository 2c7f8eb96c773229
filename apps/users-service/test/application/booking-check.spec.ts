import type { BookingCheckPayload, ConsentsPayload, GivenConsent } from '@fd/contracts';
import {
  ConsentErrors,
  type ErrorCode,
  errorOf,
  GeneralErrors,
  IssuerErrors,
  JourneyErrors,
  NomineeErrors,
  SessionErrors,
} from '@fd/errors';
import { type ApiClient, expectRefusal, inParallel } from '@fd/testing';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import type { Step } from '../../src/journey/steps/journey.table.js';
import { as, logIn, type LoggedIn } from '../support/login.js';
import { aNominee, nominate, NOMINEE_PATH, SKIP } from '../support/nominees.js';
import { verifyPan } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

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
  /** Completes the steps of an issuer, without the PAN and the nominee. */
  const finish = async (
    slug: string,
    steps: readonly Step[] = ['EKYC', 'EMAIL', 'PERSONAL_DETAILS', 'BANK'],
  ) => {
    for (const step of steps) {
      await journey.record({ userId: user.user_id, step, event: 'COMPLETED', issuer: slug });
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
          blockers: steps.map((step) => ({ code: JourneyErrors.stepMissing.code, message, step })),
        },
      },
    });
    expect((await blockersOf('sahyadri')).map(([, step]) => step)).toEqual(['LEAD', 'KYC_CONTEXT', ...steps]);
  });

  it('allows a booking once all steps with this issuer are done, and with no other issuer', async () => {
    await verifyPan(api);
    await finish('aravalli');
    await nominate(api);
    expect(await check()).toEqual({ is_bookable: true, blockers: [] });
    expect((await check('kaveri')).is_bookable).toBe(false);
  });

  it('accepts a nominee waiver, unless the issuer requires a nominee', async () => {
    await verifyPan(api);
    await finish('aravalli');
    await finish('sahyadri', ['LEAD', 'KYC_CONTEXT', 'EKYC', 'EMAIL', 'PERSONAL_DETAILS', 'BANK']);
    await nominate(api, { ...SKIP, issuer_code: 'ARAVFIN' });
    expect(await check()).toEqual({ is_bookable: true, blockers: [] });
    expect(await blockersOf('sahyadri')).toEqual([[NomineeErrors.required.code, 'NOMINEE']]);
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
    for (const slug of ['aravalli', 'sahyadri']) {
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
    expect(await journey.lastIssuer(user.user_id)).toBe('nilgiri');
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
