import { indiaDateOf, type PanVerificationPayload } from '@fd/contracts';
import {
  ConsentErrors,
  type ErrorDefinition,
  GeneralErrors,
  IssuerErrors,
  PanErrors,
  SessionErrors,
} from '@fd/errors';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { UsersRepository } from '../../src/identity/index.js';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { IdentitiesRepository } from '../../src/kyc/pan/identities.repository.js';
import { effectsOf } from '../support/effects.js';
import { as, logIn } from '../support/login.js';
import { byCall, holderOf, kindsOf, lookupsOf, vendors, WALLET_EMPTY } from '../support/pan-vendors.js';
import { aPan, PAN_PATH, panBody, postPan, verifyPan } from '../support/pan.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

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
      expect(await service.app.get(UsersRepository).lastIssuerOf(user_id)).toBe('kaveri');
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

const DAY_MS = 86_400_000;

describe('input of POST /api/v1/pan-verification', () => {
  let service: TestService;
  let api: ApiClient;
  let userId: string;
  beforeAll(async () => {
    service = await startService();
    const user = await logIn(service);
    userId = user.user_id;
    api = as(service.api, user);
  });
  afterAll(() => service.close());

  const good = panBody();

  const MISSING = PanErrors.missing;
  const LENGTH = PanErrors.wrongLength;
  const PATTERN = PanErrors.malformed;

  it.each<[string, unknown, ErrorDefinition]>([
    ['left out', undefined, MISSING],
    ['null', null, MISSING],
    ['empty', '', MISSING],
    ['blank', '   ', MISSING],
    ['made of ten spaces', ' '.repeat(10), MISSING],
    ['too short', 'ABCDE1234', LENGTH],
    ['too long', 'ABCDE1234FG', LENGTH],
    ['very long', 'A'.repeat(10_000), LENGTH],
    ['preceded by a space', ' ABCDE1234F', LENGTH],
    ['followed by a space', 'ABCDE1234F ', LENGTH],
    ['followed by a line break', 'ABCDE1234F\n', LENGTH],
    ['an SQL injection', "ABCDE1234F' OR '1'='1", LENGTH],
    ['HTML markup', '<script>alert(1)</script>', LENGTH],
    ['in lower case', 'abcde1234f', PATTERN],
    ['in mixed case', 'ABCDe1234F', PATTERN],
    ['made with special characters', 'ABCD@1234#', PATTERN],
    ['split by a space', 'ABCD 1234F', PATTERN],
    ['made of digits only', '1234567890', PATTERN],
    ['made of letters only', 'ABCDEFGHIJ', PATTERN],
    ['made of letters and digits in other places', 'ABCD12345F', PATTERN],
    ['made with the digits first', '1234ABCDEF', PATTERN],
    ['an SQL injection of ten characters', "' OR 1=1--", PATTERN],
    ['written with digits of another script', 'ABCDE１２３４F', PATTERN],
    ['written with letters of another script', 'АВСDE1234F', PATTERN],
    ['ended by a NUL', 'ABCDE1234\u0000', PATTERN],
    ['ended by a lone surrogate', 'ABCDE1234\ud800', PATTERN],
    ['a number', 1234567890, PATTERN],
    ['a boolean', true, PATTERN],
    ['a list', ['ABCDE1234F'], PATTERN],
    ['an object', { $ne: null }, PATTERN],
  ])('refuses a PAN that is %s', async (_name, number, error) => {
    expectRefusal(await postPan(api, { ...good, number }), error);
  });

  const NO_DOB = PanErrors.birthDateMissing;
  const NO_DATE = PanErrors.birthDateInvalid;

  it.each<[string, unknown, ErrorDefinition]>([
    ['left out', undefined, NO_DOB],
    ['null', null, NO_DOB],
    ['empty', '', NO_DOB],
    ['blank', '  ', NO_DOB],
    ['written day first', '21-04-1990', NO_DATE],
    ['written with slashes', '1990/04/21', NO_DATE],
    ['written without leading zeros', '1990-4-21', NO_DATE],
    ['followed by a time', '1990-04-21T00:00:00Z', NO_DATE],
    ['written in words', '21 April 1990', NO_DATE],
    ['in month 13', '1990-13-01', NO_DATE],
    ['in month 0', '1990-00-10', NO_DATE],
    ['on day 0', '1990-01-00', NO_DATE],
    ['on 30 February', '2001-02-30', NO_DATE],
    ['on 29 February of a common year', '2001-02-29', NO_DATE],
    ['on 29 February 1900', '1900-02-29', NO_DATE],
    ['on 31 April', '1990-04-31', NO_DATE],
    ['in the year 0', '0000-01-01', NO_DATE],
    ['written with a year of five digits', '+01990-04-21', NO_DATE],
    ['followed by a space', '1990-04-21 ', NO_DATE],
    ['an SQL injection', "1990-01-01' --", NO_DATE],
    ['written with digits of another script', '１９９０-04-21', NO_DATE],
    ['a number', 19900421, NO_DATE],
    ['a list', ['1990-04-21'], NO_DATE],
    ['an object', { year: 1990 }, NO_DATE],
    ['far in the future', '2999-01-01', PanErrors.birthDateInFuture],
    ['the last possible date', '9999-12-31', PanErrors.birthDateInFuture],
  ])('refuses a date of birth that is %s', async (_name, dob, error) => {
    expectRefusal(await postPan(api, { ...good, dob }), error);
  });

  it('refuses a date of birth that is tomorrow in India', async () => {
    const tomorrow = indiaDateOf(new Date(service.clock.now().getTime() + DAY_MS));
    expectRefusal(await postPan(api, { ...good, dob: tomorrow }), PanErrors.birthDateInFuture);
  });

  it.each<[string, unknown, ErrorDefinition]>([
    ['left out', undefined, ConsentErrors.missing],
    ['null', null, ConsentErrors.missing],
    ['false', false, ConsentErrors.refused],
    ['the string "true"', 'true', ConsentErrors.notBoolean],
    ['the string "false"', 'false', ConsentErrors.notBoolean],
    ['an empty string', '', ConsentErrors.notBoolean],
    ['the number 1', 1, ConsentErrors.notBoolean],
    ['the number 0', 0, ConsentErrors.notBoolean],
    ['a list', [true], ConsentErrors.notBoolean],
    ['an object', {}, ConsentErrors.notBoolean],
  ])('refuses a PAN verification with a consent that is %s', async (_name, consent_checked, error) => {
    expectRefusal(await postPan(api, { ...good, consent_checked }), error);
  });

  describe('order of checks in POST /api/v1/pan-verification', () => {
    it.each<[string, object, ...ErrorDefinition[]]>([
      ['all missing fields of an empty object', {}, MISSING, NO_DOB, ConsentErrors.missing],
      [
        'an invalid PAN before an invalid date of birth',
        { ...good, number: 'x', dob: 'x' },
        LENGTH,
        PanErrors.birthDateInvalid,
      ],
      [
        'an invalid PAN before a future date of birth and a refused consent',
        { number: 'x', dob: '2999-01-01', consent_checked: false },
        LENGTH,
        PanErrors.birthDateInFuture,
        ConsentErrors.refused,
      ],
    ])('reports %s', async (_name, body, ...errors) => {
      expectRefusal(await postPan(api, body), ...errors);
    });
  });

  it.each<[string, string | undefined, string | undefined]>([
    ['an empty body', '', 'application/json'],
    ['no body', undefined, undefined],
    ['no content type', JSON.stringify(good), ''],
    ['the content type text/plain', JSON.stringify(good), 'text/plain'],
    ['a form as body', 'number=ABCDE1234F', 'application/x-www-form-urlencoded'],
    ['a list as body', '[]', 'application/json'],
    ['a string as body', '"ABCDE1234F"', 'application/json'],
  ])('refuses a PAN verification with %s', async (_name, body, contentType) => {
    expectRefusal(await api.raw('post', PAN_PATH, body, contentType), GeneralErrors.requestUnreadable);
  });

  it('answers 400 with the error as an object to malformed JSON', async () => {
    const response = await api.raw('post', PAN_PATH, '{"number": "ABCDE1234F",', 'application/json');
    expect({ status: response.status, body: response.body as object }).toMatchObject({
      status: 400,
      body: { success: 0, error: { statusCode: 400, message: expect.any(String) as string } },
    });
  });

  it('asks no registry and counts no look-up for refused input', async () => {
    expect(await effectsOf('pan', good.number)).toEqual([]);
    const counted: unknown[] = await service.dataSource.query(
      'SELECT 1 FROM onboarding.pan_lookups WHERE user_id = $1',
      [userId],
    );
    expect(counted).toEqual([]);
  });

  it('ignores unknown fields of a PAN verification', async () => {
    const body = { ...panBody(aPan()), user_id: 'someone', full_name: 'X' };
    expect((await postPan(api, body)).status).toBe(200);
  });
});

describe('parallel PAN verifications', () => {
  let service: TestService;
  let replica: UsersApp;
  beforeAll(async () => {
    service = await startService();
    replica = await service.replica();
  });
  afterAll(() => service.close());

  const on = (i: number): UsersApp => (i % 2 ? replica : service);
  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user), on: (i: number) => as(on(i).api, user) };
  };
  const idOf = (response: Response) =>
    (response.body as { payload: PanVerificationPayload }).payload.verification_id;
  /** Moves the look-ups of a user into the past. */
  const ageLookups = (userId: string, seconds: number) =>
    service.dataSource.query(
      'UPDATE onboarding.pan_lookups SET started_at = started_at - make_interval(secs => $2) WHERE user_id = $1',
      [userId, seconds],
    );
  const lookupsOf = async (userId: string) =>
    (
      await service.dataSource.query<unknown[]>('SELECT 1 FROM onboarding.pan_lookups WHERE user_id = $1', [
        userId,
      ])
    ).length;

  it('verifies a PAN for exactly one of eight users who send it in parallel', async () => {
    const users = await inParallel(8, () => aUser());
    const body = panBody();
    const responses = await Promise.all(users.map((user, i) => postPan(user.on(i), body)));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(7);
    for (const response of refused) expectRefusal(response, PanErrors.belongsToAnotherUser);
    const winner = users[responses.findIndex(({ status }) => status === 200)]!;
    expect(await verifyPan(winner.api, body)).toMatchObject({ is_pan_verified: true });
  });

  it('makes one verification for eight parallel calls of a user, with at most one look-up on each replica', async () => {
    const user = await aUser();
    const body = panBody();
    const responses = await inParallel(8, (i) => postPan(user.on(i), body));
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(responses.map(idOf)).size).toBe(1);
    const lookups = await effectsOf('pan', body.number);
    expect([1, 2]).toContain(lookups.length);
    expect(await lookupsOf(user.user_id)).toBe(lookups.length);
  });

  it('verifies exactly one of eight PANs that a user sends in parallel', async () => {
    const user = await aUser();
    const responses = await inParallel(8, (i) => postPan(user.on(i)));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(7);
    for (const response of refused) expectRefusal(response, PanErrors.anotherPanVerified);
  });

  describe('daily limit of PAN look-ups', () => {
    const unknownPan = () => panBody(aPan({ digits: '0404' }));

    it('makes exactly ten of 15 look-ups requested at once on two replicas', async () => {
      const user = await aUser();
      const bodies = Array.from({ length: 15 }, unknownPan);
      const responses = await inParallel(15, (i) => postPan(user.on(i), bodies[i]));
      const refused = responses.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(5);
      for (const response of refused) expectRefusal(response, PanErrors.tooManyLookups);
      for (const response of responses.filter(({ status }) => status !== 429))
        expectRefusal(response, PanErrors.notFound);
      const effects = await Promise.all(bodies.map(({ number }) => effectsOf('pan', number)));
      expect(effects.flat()).toHaveLength(10);
    });

    it('answers 429 with Retry-After after ten look-ups in 24 hours, and frees them one by one', async () => {
      const user = await aUser();
      expectRefusal(await postPan(user.api, unknownPan()), PanErrors.notFound);
      await ageLookups(user.user_id, 3_600);
      for (let i = 1; i < 10; i++) expectRefusal(await postPan(user.api, unknownPan()), PanErrors.notFound);
      const refused = await postPan(user.api);
      expectRefusal(refused, PanErrors.tooManyLookups);
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThan(82_000);
      expect(seconds).toBeLessThanOrEqual(82_800);
      await ageLookups(user.user_id, seconds);
      expectRefusal(await postPan(user.api, unknownPan()), PanErrors.notFound);
      expectRefusal(await postPan(user.api), PanErrors.tooManyLookups);
    });

    it('counts look-ups of PANs of other users, so that PANs cannot be probed', async () => {
      const [user, other] = [await aUser(), await aUser()];
      const { number } = await verifyPan(other.api);
      for (let i = 0; i < 10; i++)
        expectRefusal(await postPan(user.api, panBody(number)), PanErrors.belongsToAnotherUser);
      expectRefusal(await postPan(user.api, panBody(number)), PanErrors.tooManyLookups);
    });

    it('answers repeats of a PAN that the last look-up of a day has verified, and counts none', async () => {
      const user = await aUser();
      for (let i = 0; i < 9; i++) await postPan(user.api, unknownPan());
      const body = panBody();
      const first = await verifyPan(user.api, body);
      for (let i = 0; i < 3; i++) expect(await verifyPan(user.api, body)).toEqual(first);
      expect(await lookupsOf(user.user_id)).toBe(10);
    });

    it('counts other PANs and dates than the verified ones, and then refuses the right ones for a day', async () => {
      const user = await aUser();
      const body = panBody();
      const verified = await verifyPan(user.api, body);
      await ageLookups(user.user_id, 86_400);
      for (let i = 0; i < 5; i++) {
        expectRefusal(await postPan(user.api), PanErrors.anotherPanVerified);
        expectRefusal(
          await postPan(user.api, { ...body, dob: `1991-01-0${i + 1}` }),
          PanErrors.birthDateDiffers,
        );
      }
      expectRefusal(await postPan(user.api, { ...body, dob: '1991-02-01' }), PanErrors.tooManyLookups);
      const refused = await postPan(user.api, body);
      expectRefusal(refused, PanErrors.tooManyLookups);
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThan(86_000);
      expect(seconds).toBeLessThanOrEqual(86_400);
      await ageLookups(user.user_id, seconds);
      expect(await verifyPan(user.api, body)).toEqual(verified);
    });

    it('compares exactly ten of 15 other dates that are sent at once to two replicas', async () => {
      const user = await aUser();
      const body = panBody();
      await verifyPan(user.api, body);
      await ageLookups(user.user_id, 86_400);
      const responses = await inParallel(15, (i) =>
        postPan(user.on(i), { ...body, dob: `1991-01-${10 + i}` }),
      );
      const compared = responses.filter(({ status }) => status !== 429);
      expect(compared).toHaveLength(10);
      for (const response of compared) expectRefusal(response, PanErrors.birthDateDiffers);
      for (const response of responses.filter(({ status }) => status === 429))
        expectRefusal(response, PanErrors.tooManyLookups);
    });

    it('deletes the records of look-ups after 24 hours', async () => {
      const user = await aUser();
      await postPan(user.api, unknownPan());
      await ageLookups(user.user_id, 86_400);
      await postPan(user.api, unknownPan());
      await service.app.get(Jobs).runCleanup();
      expect(await lookupsOf(user.user_id)).toBe(1);
    });

    it('counts the look-ups of each user separately', async () => {
      const [user, other] = [await aUser(), await aUser()];
      for (let i = 0; i < 10; i++) await postPan(user.api, unknownPan());
      await verifyPan(other.api);
    });
  });
});

describe('POST /api/v1/pan-verification over real vendors', () => {
  let service: TestService;
  let cashfree: ScriptedProvider;
  beforeAll(async () => {
    cashfree = await ScriptedProvider.start();
    service = await startService(vendors());
  });
  afterAll(async () => {
    await service.close();
    await cashfree.stop();
  });

  it('verifies at the first provider alone, and pays once for its two calls', async () => {
    const user = await logIn(service);
    const number = aPan();
    await verifyPan(as(service.api, user), panBody(number));
    await verifyPan(as(service.api, user), panBody(number));
    expect(await kindsOf('cashfree', number)).toEqual(['pan', 'pan_lite']);
    expect(await kindsOf('setu', number)).toEqual([]);
  });

  it.each([
    ['unknown', '0404', PanErrors.notFound, ['pan']],
    ['not valid', '0410', PanErrors.notValid, ['pan']],
    ['of another date of birth', '0406', PanErrors.birthDateDiffers, ['pan', 'pan_lite']],
  ] as const)(
    'refuses a PAN that is %s without asking the second provider',
    async (_what, digits, refusal, paid) => {
      const number = aPan({ digits });
      expectRefusal(await postPan(as(service.api, await logIn(service)), panBody(number)), refusal);
      expect(await kindsOf('cashfree', number)).toEqual(paid);
      expect(await kindsOf('setu', number)).toEqual([]);
    },
  );

  it('uses the second provider, for one payment and one try, while our wallet at the first is empty', async () => {
    cashfree.behaviour = WALLET_EMPTY;
    const replica = await service.replica(vendors({ CASHFREE_URL: new URL(cashfree.url).origin }));
    const before = cashfree.calls.length;
    // before the first refusal: the circuit is open for 15 seconds
    const users = await inParallel(3, () => logIn(replica));
    const pans = users.map(() => panBody());
    for (const [i, user] of users.entries()) await verifyPan(as(replica.api, user), pans[i]);
    expect(cashfree.calls.length - before).toBe(1);
    for (const [i, { user_id }] of users.entries()) {
      expect(await kindsOf('setu', pans[i]!.number)).toEqual(['pan']);
      expect(await lookupsOf(service, user_id)).toHaveLength(1);
    }
    const { text } = await replica.api.get('/metrics');
    expect(text).toMatch(/provider_circuit_open\{provider="cashfree-pan"\} 1/);
    expect(text).toMatch(/provider_call_duration_seconds_count\{[^}]*outcome="misconfigured"[^}]*\} 1/);
  });

  it('uses up no try of the user while our wallet is empty and there is no other provider', async () => {
    cashfree.behaviour = WALLET_EMPTY;
    const alone = vendors({ PAN_PROVIDERS: 'cashfree', CASHFREE_URL: new URL(cashfree.url).origin });
    const replica = await service.replica(alone);
    const user = await logIn(replica);
    for (let times = 0; times < 12; times++) {
      expectRefusal(await postPan(as(replica.api, user)), PanErrors.registryUnavailable);
    }
    expect(await lookupsOf(service, user.user_id)).toEqual([]);
  });

  it('uses up no try of the user, and asks no other provider, when our wallet runs out between the two calls', async () => {
    const body = panBody();
    cashfree.behaviour = byCall(cashfree, holderOf(body.number), WALLET_EMPTY);
    const replica = await service.replica(vendors({ CASHFREE_URL: new URL(cashfree.url).origin }));
    const user = await logIn(replica);
    const before = cashfree.calls.length;
    expectRefusal(await postPan(as(replica.api, user), body), PanErrors.registryUnavailable);
    expect(cashfree.calls.slice(before).map(({ path }) => path)).toEqual(['/pan', '/pan-lite']);
    expect(await lookupsOf(service, user.user_id)).toEqual([]);
    expect(await kindsOf('setu', body.number)).toEqual([]);
    const { text } = await replica.api.get('/metrics');
    expect(text).toMatch(/provider_circuit_open\{provider="cashfree-pan"\} 1/);
  });

  it('asks no other provider once the first may have been paid', async () => {
    cashfree.behaviour = answersJson(500, {});
    const replica = await service.replica(vendors({ CASHFREE_URL: new URL(cashfree.url).origin }));
    const user = await logIn(replica);
    const number = aPan();
    expectRefusal(await postPan(as(replica.api, user), panBody(number)), PanErrors.registryUnavailable);
    expect(await kindsOf('setu', number)).toEqual([]);
    expect(await lookupsOf(service, user.user_id)).toHaveLength(1);
  });
});

describe.each([
  ['cashfree', 'setu', ['pan', 'pan_lite']],
  ['setu', 'cashfree', ['pan']],
] as const)('payments for a PAN over %s before %s', (vendor, other, whole) => {
  const order = { PAN_PROVIDERS: `${vendor},${other}`, PAN_LOOKUP_TIMEOUT_MS: '1000' };
  let service: TestService;
  let replica: Awaited<ReturnType<TestService['replica']>>;
  beforeAll(async () => {
    service = await startService(vendors(order));
    replica = await service.replica(vendors(order));
  });
  afterAll(() => service.close());

  it('pays once for duplicates on two replicas', async () => {
    const user = await logIn(service);
    const number = aPan();
    const answers = await inParallel(6, (n) =>
      postPan(as((n % 2 ? replica : service).api, user), panBody(number)),
    );
    for (const { status } of answers) expect([200, 202]).toContain(status);
    await eventually(() => verifyPan(as(service.api, user), panBody(number)));
    expect([await kindsOf(vendor, number), await kindsOf(other, number)]).toEqual([whole, []]);
  });
});
