import { indiaDateOf, type PanVerificationPayload } from '@fd/contracts';
import { IssuerErrors, PanErrors, SessionErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { IdentitiesRepository } from '../../src/kyc/pan/identities.repository.js';
import { effectsOf } from '../support/effects.js';
import { as, logIn } from '../support/login.js';
import { aPan, PAN_PATH, panBody, postPan, verifyPan } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

describe('POST /api/v1/pan-verification', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };
  const stepOf = async (userId: string) => (await service.app.get(JourneyRepository).statesOf(userId)).PAN;

  describe('success', () => {
    it('returns the name of the holder and the masked PAN', async () => {
      const { api, user_id } = await aUser();
      const number = aPan({ surnameInitial: 'R' });
      const response = await postPan(api, panBody(number));
      expect({ status: response.status, body: response.body as object }).toMatchObject({
        status: 200,
        body: { success: 1, statusCode: 200, message: 'PAN verified' },
      });
      const { payload } = response.body as { payload: PanVerificationPayload };
      expect(payload).toEqual({
        is_pan_verified: true,
        verification_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        pan: `XXXXXX${number.slice(6)}`,
        pan_status: 'VALID',
        full_name: expect.stringMatching(/ R[A-Z]+$/) as string,
        first_name: expect.stringMatching(/^[A-Z]+$/) as string,
        middle_name: payload.middle_name,
        last_name: expect.stringMatching(/^R[A-Z]+$/) as string,
        father_name: expect.stringMatching(/^[A-Z]+/) as string,
        dob_match: true,
        aadhaar_seeding_status: 'LINKED',
        verified_at: expect.any(String) as string,
      });
      const { first_name, middle_name, last_name } = payload;
      expect(payload.full_name).toBe([first_name, middle_name, last_name].filter(Boolean).join(' '));
      expect(JSON.stringify(response.body)).not.toContain(number);
      expect(await stepOf(user_id)).toEqual({ state: 'DONE', reason: null });
    });

    it('reports an Aadhaar that is not linked to the PAN', async () => {
      const { api } = await aUser();
      expect(await verifyPan(api, panBody(aPan({ digits: '0401' })))).toMatchObject({
        is_pan_verified: true,
        aadhaar_seeding_status: 'NOT_LINKED',
      });
    });

    it('accepts a person born today in India', async () => {
      const { api } = await aUser();
      await verifyPan(api, panBody(aPan(), indiaDateOf(service.clock.now())));
    });

    it('stores the identity that other features read', async () => {
      const { api, user_id } = await aUser();
      const identities = service.app.get(IdentitiesRepository);
      expect(await identities.findByUserId(user_id)).toBeUndefined();
      const verified = await verifyPan(api);
      expect(await identities.findByUserId(user_id)).toMatchObject({
        pan: verified.number,
        dateOfBirth: verified.dob,
        fullName: verified.full_name,
        firstName: verified.first_name,
        middleName: verified.middle_name,
        lastName: verified.last_name,
        fatherName: verified.father_name,
      });
    });
  });

  describe('second PAN verification of a user', () => {
    it('returns the same result for the same PAN without a second look-up', async () => {
      const { api } = await aUser();
      const body = panBody();
      const first = await verifyPan(api, body);
      expect(await verifyPan(api, body)).toEqual(first);
      expect(await effectsOf('pan', body.number)).toHaveLength(1);
    });

    it('refuses another date of birth for the verified PAN without a second look-up', async () => {
      const { api } = await aUser();
      const { number } = await verifyPan(api);
      expectRefusal(await postPan(api, panBody(number, '1990-04-22')), PanErrors.birthDateDiffers);
      expect(await effectsOf('pan', number)).toHaveLength(1);
    });

    it('refuses a second PAN of a user, whether another user has it or not', async () => {
      const [{ api }, other] = [await aUser(), await aUser()];
      const mine = await verifyPan(api);
      const theirs = await verifyPan(other.api);
      const unknown = aPan();
      expectRefusal(await postPan(api, panBody(theirs.number)), PanErrors.anotherPanVerified);
      expectRefusal(await postPan(api, panBody(unknown)), PanErrors.anotherPanVerified);
      expect(await effectsOf('pan', unknown)).toHaveLength(0);
      expect((await verifyPan(api, panBody(mine.number))).verification_id).toBe(mine.verification_id);
    });
  });

  describe('refusals', () => {
    it.each([
      ['unknown to the registry', '0404', PanErrors.notFound],
      ['that is not valid', '0410', PanErrors.notValid],
      ['with another date of birth', '0406', PanErrors.birthDateDiffers],
    ] as const)('refuses a PAN %s, and fails the step for the same reason', async (_case, digits, error) => {
      const { api, user_id } = await aUser();
      expectRefusal(await postPan(api, panBody(aPan({ digits }))), error);
      expect(await stepOf(user_id)).toEqual({ state: 'FAILED', reason: error.code });
    });

    it('refuses a PAN of another user, and fails the step with the same reason', async () => {
      const [{ api }, other] = [await aUser(), await aUser()];
      const { number } = await verifyPan(api);
      expectRefusal(await postPan(other.api, panBody(number)), PanErrors.belongsToAnotherUser);
      expect(await stepOf(other.user_id)).toEqual({
        state: 'FAILED',
        reason: PanErrors.belongsToAnotherUser.code,
      });
    });

    it('accepts the right PAN after a refused one', async () => {
      const { api, user_id } = await aUser();
      expectRefusal(await postPan(api, panBody(aPan({ digits: '0404' }))), PanErrors.notFound);
      await verifyPan(api);
      expect(await stepOf(user_id)).toEqual({ state: 'DONE', reason: null });
    });

    it('refuses a PAN verification without an access token', async () => {
      expectRefusal(await postPan(service.api), SessionErrors.tokenMissing);
    });
  });

  describe('query of POST /api/v1/pan-verification', () => {
    it('records the issuer of issuer_code as the last one of the user', async () => {
      const { api, user_id } = await aUser();
      const query = { issuer_code: 'KAVSFB', issuer_type: 'BANK', credit_card: 'false' };
      expect((await postPan(api, panBody(), query)).status).toBe(200);
      expect(await service.app.get(JourneyRepository).lastIssuer(user_id)).toBe('kaveri');
    });

    it.each<[string, Record<string, string | string[]>]>([
      ['unknown', { issuer_code: 'NOBODY' }],
      ['a slug', { issuer_code: 'kaveri' }],
      ['given twice', { issuer_code: ['KAVSFB', 'ARAVFIN'] }],
      ['an SQL injection', { issuer_code: "' OR 1=1 --" }],
    ])('refuses an issuer_code that is %s before any look-up', async (_name, query) => {
      const { api } = await aUser();
      const body = panBody();
      expectRefusal(await postPan(api, body, query), IssuerErrors.unknown);
      expect(await effectsOf('pan', body.number)).toHaveLength(0);
    });

    it.each<[string, Record<string, string | string[]>]>([
      ['an empty issuer_code', { issuer_code: '' }],
      ['an unknown issuer_type', { issuer_type: 'COOPERATIVE' }],
      ['a credit_card that is not a boolean', { credit_card: 'maybe' }],
      ['parameters given twice', { issuer_type: ['BANK', 'NBFC'], credit_card: ['true', 'false'] }],
      ['unknown parameters', { utm_source: 'mail' }],
    ])('accepts a PAN verification with %s', async (_name, query) => {
      const { api } = await aUser();
      expect((await postPan(api, panBody(), query)).status).toBe(200);
    });
  });

  it('stores and logs no PAN, date of birth or name in clear text', async () => {
    const { api } = await aUser();
    const { number, dob, full_name, father_name } = await verifyPan(api, panBody(aPan(), '1987-11-03'));
    await postPan(api, panBody(number, '1987-11-04'));
    const tables = await service.dataSource.query<{ name: string }[]>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'onboarding'",
    );
    const rows = await Promise.all(
      tables.map(({ name }) => service.dataSource.query(`SELECT t::text FROM onboarding.${name} t`)),
    );
    const traces = [JSON.stringify(rows), service.logs()];
    expect(traces[0]).toContain('k1.');
    expect(traces[1]).toContain(PAN_PATH);
    for (const value of [number, dob, '1987-11-04', full_name, father_name!]) {
      for (const trace of traces) expect(trace).not.toContain(value);
    }
  });
});
