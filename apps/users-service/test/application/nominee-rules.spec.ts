import {
  type ChangedNomineePayload,
  indiaDateOf,
  type NominationPayload,
  type NomineesPayload,
} from '@fd/contracts';
import { GeneralErrors, NomineeErrors } from '@fd/errors';
import { type ApiClient, expectRefusal, inParallel } from '@fd/testing';
import fc from 'fast-check';
import { as, logIn } from '../support/login.js';
import {
  aNominee,
  fieldOf,
  GUARDIAN,
  nominate,
  NOMINEE_PATH,
  nomineesOf,
  nomineeStepOf,
  postNominee,
  SKIP,
} from '../support/nominees.js';
import { verifyPan } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('nomination rules', () => {
  const newUser = async (): Promise<ApiClient> => as(service.api, await logIn(service));
  const listOf = async (api: ApiClient) =>
    ((await api.get(NOMINEE_PATH)).body as { payload: NomineesPayload }).payload.nominees;
  const codesOf = (responses: { status: number; body: unknown }[]) =>
    responses
      .filter(({ status }) => status !== 201)
      .map(({ body }) => (body as { error: { errorCode: string }[] }).error[0]!.errorCode);

  describe('coming of age', () => {
    const DAY_SECONDS = 86_400;
    /** Returns the date 18 years before a date in India. */
    const eighteenYearsBefore = (date: string) => `${Number(date.slice(0, 4)) - 18}${date.slice(4)}`;

    it('requires a guardian for a nominee until midnight in India before the 18th birthday', async () => {
      const replica = await service.replica();
      const { clock } = replica;
      // half a minute before a midnight whose date also exists 18 years earlier
      const indiaSeconds = Math.floor(clock.now().getTime() / 1_000) + 19_800;
      clock.advanceSeconds(DAY_SECONDS - (indiaSeconds % DAY_SECONDS) - 30);
      const tomorrow = () => indiaDateOf(new Date(clock.now().getTime() + DAY_SECONDS * 1_000));
      if (tomorrow().endsWith('-02-29')) clock.advanceSeconds(DAY_SECONDS);
      const dob = eighteenYearsBefore(tomorrow());
      const nominee = aNominee({ dob, share_percentage: 10 });

      const evening = as(replica.api, await logIn(replica));
      expectRefusal(await postNominee(evening, nominee), NomineeErrors.guardianMissing);
      expectRefusal(
        await postNominee(evening, { ...nominee, guardian: { ...GUARDIAN, dob } }),
        NomineeErrors.guardianInvalid,
      );
      const { nominees } = await nominate(evening, { ...nominee, guardian: GUARDIAN });
      expect(nominees).toMatchObject([{ is_minor: true, guardian: GUARDIAN }]);

      clock.advanceSeconds(60);
      const morning = as(replica.api, await logIn(replica));
      const adult = await nominate(morning, nominee);
      expect(adult.nominees).toMatchObject([{ dob, is_minor: false, guardian: null }]);
      const late = await postNominee(morning, aNominee({ dob: tomorrow(), share_percentage: 10 }));
      expectRefusal(late, NomineeErrors.birthDateInvalid);
    });
  });

  describe('nominee with the name of the applicant', () => {
    const warningsOf = async (api: ApiClient, name: string) =>
      (await nominate(api, aNominee({ name, share_percentage: 10 }))).warnings;

    it('accepts a nominee with the name of the applicant in any spelling, with a warning', async () => {
      const api = await newUser();
      const { full_name } = await verifyPan(api);
      const words = full_name.split(' ');
      const spellings = [
        full_name,
        full_name.toLowerCase(),
        [...words].reverse().join(' '),
        `Mr. ${full_name.toLowerCase()}`,
      ];
      for (const name of spellings)
        expect([name, await warningsOf(api, name)]).toEqual([name, [NomineeErrors.isApplicant.code]]);
      expect(await listOf(api)).toHaveLength(4);
    });

    it('warns neither of another name, nor of any name before the PAN is verified', async () => {
      const api = await newUser();
      expect(await warningsOf(api, 'Meera Rao')).toEqual([]);
      const { full_name } = await verifyPan(api);
      expect(await warningsOf(api, 'Zzyzx Quxington')).toEqual([]);
      const list = {
        nominees: [aNominee({ share_percentage: 1 }), aNominee({ name: full_name, share_percentage: 1 })],
      };
      expect((await nominate(api, list)).warnings).toEqual([NomineeErrors.isApplicant.code]);
    });

    it('warns when a change gives a nominee the name of the applicant', async () => {
      const api = await newUser();
      const { full_name } = await verifyPan(api);
      const { nominee_id } = await nominate(api);
      const rename = async (name: string) =>
        (await api.put(`${NOMINEE_PATH}/${nominee_id}`, aNominee({ name }))).body as {
          payload: NominationPayload;
        };
      expect((await rename(full_name)).payload.warnings).toEqual([NomineeErrors.isApplicant.code]);
      expect((await rename('Meera Rao')).payload.warnings).toEqual([]);
    });
  });

  it('warns of a guardian of a minor without a date of birth, or with the name of the minor', async () => {
    const api = await newUser();
    const year = new Date().getUTCFullYear();
    const child = (guardian: object) =>
      aNominee({ dob: `${year - 9}-03-09`, share_percentage: 10, guardian: { ...GUARDIAN, ...guardian } });
    const warnings = async (body: object) => (await nominate(api, body)).warnings;
    expect(await warnings(child({}))).toEqual([]);
    expect(await warnings(child({ dob: undefined }))).toEqual([NomineeErrors.guardianAgeUnknown.code]);
    const [nominee] = await listOf(api);
    const { body } = await api.put(
      `${NOMINEE_PATH}/${nominee!.nominee_id}`,
      child({ name: 'Smt. Meera Rao' }),
    );
    expect((body as { payload: ChangedNomineePayload }).payload.warnings).toEqual([
      NomineeErrors.guardianIsNominee.code,
    ]);
    // the guardian of an adult is not kept
    expect(await warnings({ ...child({ dob: undefined }), dob: `${year - 30}-03-09` })).toEqual([]);
  });

  it('answers any JSON value in any field without a server error', async () => {
    const api = await newUser();
    const fields = [
      ...['name', 'relationship', 'dob', 'email', 'phone', 'pan', 'address', 'share_percentage'],
      ...['nomination_type', 'priority', 'guardian', 'nominees', 'skip_nominee', 'declaration_accepted'],
      ...['issuer_code', '__proto__', 'constructor'],
    ];
    const value = fc.oneof(
      fc.constantFrom<unknown>(
        'Meera Rao',
        'SPOUSE',
        '2020-05-05',
        'ARAVFIN',
        true,
        1,
        null,
        '\u0000',
        '\ud800',
      ),
      fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>,
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 8 }), async (body) => {
        expect([201, 400, 404]).toContain((await postNominee(api, { ...aNominee(), ...body })).status);
        expect([400, 404]).toContain((await api.put(`${NOMINEE_PATH}/nothing`, body)).status);
      }),
      { numRuns: 150 },
    );
    expect(service.logs().match(/"level":"(error|fatal)"/g)).toBeNull();
  });

  describe('concurrent calls', () => {
    it('registers exactly 4 of 10 concurrent nominees over two replicas', async () => {
      const other = await service.replica();
      const user = await logIn(service);
      const responses = await inParallel(10, (i) =>
        postNominee(as((i % 2 ? other : service).api, user), aNominee({ share_percentage: 1 })),
      );
      expect(codesOf(responses)).toEqual(Array(6).fill(NomineeErrors.tooMany.code));
      expect(await listOf(as(service.api, user))).toHaveLength(4);
    });

    it('registers exactly 2 of 10 concurrent nominees with a share of 40 % each', async () => {
      const api = await newUser();
      const responses = await inParallel(10, () => postNominee(api, aNominee({ share_percentage: 40 })));
      expect(codesOf(responses)).toEqual(Array(8).fill(NomineeErrors.sharesExceeded.code));
      expect((await listOf(api)).map(({ share_percentage }) => share_percentage)).toEqual([40, 40]);
    });

    it('registers 4 of 10 concurrent successive nominees, each with its own priority', async () => {
      const api = await newUser();
      const responses = await inParallel(10, () =>
        postNominee(api, aNominee({ nomination_type: 'SUCCESSIVE' })),
      );
      expect(codesOf(responses)).toEqual(Array(6).fill(NomineeErrors.tooMany.code));
      expect((await listOf(api)).map(({ priority }) => priority)).toEqual([1, 2, 3, 4]);
    });

    it('registers only one type out of concurrent nominees of both types', async () => {
      const api = await newUser();
      await Promise.all(
        ['SUCCESSIVE', 'SIMULTANEOUS', 'SUCCESSIVE', 'SIMULTANEOUS'].map((nomination_type) =>
          postNominee(api, aNominee({ nomination_type, share_percentage: 50 })),
        ),
      );
      const nominees = await listOf(api);
      expect(nominees).toHaveLength(2);
      expect(new Set(nominees.map(({ nomination_type }) => nomination_type)).size).toBe(1);
    });

    it('accepts one of two concurrent changes that would exceed 100 % together', async () => {
      const api = await newUser();
      const { nominees } = await nominate(api, {
        nominees: [aNominee({ share_percentage: 40 }), aNominee({ share_percentage: 40 })],
      });
      const responses = await Promise.all(
        nominees.map(({ nominee_id }) =>
          api.put(`${NOMINEE_PATH}/${nominee_id}`, aNominee({ share_percentage: 60 })),
        ),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    });

    it('keeps the nominee alone after a concurrent nominee and waiver', async () => {
      const api = await newUser();
      for (let round = 0; round < 5; round++) {
        await Promise.all([postNominee(api, SKIP), postNominee(api)]);
        const { nominees, is_nominee_skipped } = (
          (await api.get(NOMINEE_PATH)).body as { payload: NomineesPayload }
        ).payload;
        expect([nominees.length, is_nominee_skipped]).toEqual([1, false]);
        await api.delete(`${NOMINEE_PATH}/${nominees[0]!.nominee_id}`);
      }
    });
  });
});

const UNKNOWN_ID = '0198c0de-0000-7000-8000-000000000000';

describe('changes of nominees', () => {
  const newUser = async (): Promise<ApiClient> => as(service.api, await logIn(service));

  describe('PUT /api/v1/user-nominee/{nominee_id}', () => {
    it('changes the given fields and keeps the others', async () => {
      const api = await newUser();
      const { nominees } = await nominate(
        api,
        aNominee({ email: 'meera@example.com', share_percentage: 40 }),
      );
      const [before] = nominees;
      const response = await api.put(`${NOMINEE_PATH}/${before!.nominee_id.toUpperCase()}`, {
        name: 'Meera Gupta',
        relationship: 'wife',
        phone: '919812345678',
      });
      expect(response.body).toMatchObject({ success: 1, message: 'Nomination changed' });
      const after = { ...before, name: 'Meera Gupta', relationship: 'WIFE', phone: '91XXXXXX5678' };
      expect((response.body as { payload: ChangedNomineePayload }).payload).toEqual({
        ...after,
        warnings: [],
      });
      expect((await nomineesOf(api)).nominees).toEqual([after]);
    });

    it('accepts a single field, clears optional fields with an empty text, and keeps required ones', async () => {
      const api = await newUser();
      const { nominees } = await nominate(
        api,
        aNominee({ email: 'meera@example.com', share_percentage: 40 }),
      );
      const path = `${NOMINEE_PATH}/${nominees[0]!.nominee_id}`;
      expect((await api.put(path, { share_percentage: 50 })).status).toBe(200);
      expect((await api.put(path, { email: '', phone: '', pan: '', address: '' })).status).toBe(200);
      expect((await nomineesOf(api)).nominees).toEqual([
        { ...nominees[0], share_percentage: 50, email: null },
      ]);
      for (const name of ['', null]) expectRefusal(await api.put(path, { name }), NomineeErrors.nameInvalid);
      for (const relationship of ['', null])
        expectRefusal(await api.put(path, { relationship }), NomineeErrors.relationshipInvalid);
    });

    it('checks the new share and type against the other nominees', async () => {
      const api = await newUser();
      const { nominees } = await nominate(api, {
        nominees: [aNominee({ share_percentage: 60 }), aNominee({ share_percentage: 40 })],
      });
      const put = (index: number, more: object) =>
        api.put(`${NOMINEE_PATH}/${nominees[index]!.nominee_id}`, aNominee(more));
      expectRefusal(await put(0, { share_percentage: 60.01 }), NomineeErrors.sharesExceeded);
      expectRefusal(await put(0, { nomination_type: 'SUCCESSIVE' }), GeneralErrors.fieldInvalid);
      expect((await put(0, { share_percentage: 50 })).status).toBe(200);
      expect((await put(1, { share_percentage: 50 })).status).toBe(200);
      expect((await nomineesOf(api)).nominees.map(({ share_percentage }) => share_percentage)).toEqual([
        50, 50,
      ]);
    });

    it('changes the type of an only nominee', async () => {
      const api = await newUser();
      const { nominee_id } = await nominate(api, aNominee({ share_percentage: 40 }));
      const put = (more: object) => api.put(`${NOMINEE_PATH}/${nominee_id}`, aNominee(more));
      expect((await put({ nomination_type: 'SUCCESSIVE' })).body).toMatchObject({
        payload: { nomination_type: 'SUCCESSIVE', priority: 1, share_percentage: 100 },
      });
      expect((await put({ nomination_type: 'SIMULTANEOUS' })).body).toMatchObject({
        payload: { nomination_type: 'SIMULTANEOUS', priority: null, share_percentage: 100 },
      });
    });

    it('refuses a priority that another nominee has', async () => {
      const api = await newUser();
      const { nominees } = await nominate(api, {
        nominees: [aNominee({ nomination_type: 'SUCCESSIVE' }), aNominee({ name: 'Ravi Rao' })],
      });
      const response = await api.put(`${NOMINEE_PATH}/${nominees[1]!.nominee_id}`, aNominee({ priority: 1 }));
      expectRefusal(response, GeneralErrors.fieldInvalid);
      expect(fieldOf(response)).toBe('priority');
    });

    it.each([
      [aNominee({ dob: 'x' }), NomineeErrors.birthDateInvalid],
      [aNominee({ dob: '2020-05-05' }), NomineeErrors.guardianMissing],
      [aNominee({ dob: '2020-05-05', guardian: 'Meera' }), NomineeErrors.guardianInvalid],
      [aNominee({ priority: 'x' }), GeneralErrors.fieldInvalid],
    ] as const)('rejects the invalid change %j, and keeps the nominee', async (body, error) => {
      const api = await newUser();
      const { nominee_id, nominees } = await nominate(api);
      expectRefusal(await api.put(`${NOMINEE_PATH}/${nominee_id}`, body), error);
      expect((await nomineesOf(api)).nominees).toEqual(nominees);
    });
  });

  describe('DELETE /api/v1/user-nominee/{nominee_id}', () => {
    it('removes a nominee, and reopens the step with the last one', async () => {
      const api = await newUser();
      const { nominees } = await nominate(api, {
        nominees: [aNominee({ share_percentage: 60 }), aNominee({ share_percentage: 40 })],
      });
      const remove = (index: number) => api.delete(`${NOMINEE_PATH}/${nominees[index]!.nominee_id}`);
      expect((await remove(0)).body).toMatchObject({
        success: 1,
        message: 'Nomination removed',
        payload: { nominees_left: 1 },
      });
      expect(await nomineeStepOf(api)).toBe('DONE');
      expect((await remove(1)).body).toMatchObject({ payload: { nominees_left: 0 } });
      expect(await nomineeStepOf(api)).not.toBe('DONE');
      expect(await nomineesOf(api)).toEqual({ nominees: [], is_nominee_skipped: false });
      expectRefusal(await remove(1), GeneralErrors.recordUnknown);
    });
  });

  it('answers 404 alike for the nominee of another user, an unknown id and a malformed one', async () => {
    const [me, stranger] = [await newUser(), await newUser()];
    const { nominee_id, nominees } = await nominate(stranger);
    for (const id of [nominee_id, UNKNOWN_ID, 'nothing', "1' OR '1'='1", '%00']) {
      const path = `${NOMINEE_PATH}/${encodeURIComponent(id!)}`;
      expectRefusal(await me.put(path, aNominee({ name: 'Somebody Else' })), GeneralErrors.recordUnknown);
      expectRefusal(await me.delete(path), GeneralErrors.recordUnknown);
    }
    expect((await nomineesOf(me)).nominees).toEqual([]);
    expect((await nomineesOf(stranger)).nominees).toEqual(nominees);
  });
});
