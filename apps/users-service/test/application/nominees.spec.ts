import { type ChangedNomineePayload, type NominationPayload, type NomineesPayload } from '@fd/contracts';
import { GeneralErrors, IssuerErrors, NomineeErrors, SessionErrors } from '@fd/errors';
import { type ApiClient, expectRefusal, inParallel } from '@fd/testing';
import fc from 'fast-check';
import { validate as isUuid } from 'uuid';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { twoMinutesBefore18 } from '../support/fake-clock.js';
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
import { withoutTriggers } from '../support/past-rows.js';
import { startService, type TestService } from '../support/users-app.js';

const UNKNOWN_ID = '0198c0de-0000-7000-8000-000000000000';

describe('nominees', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const newUser = async (): Promise<ApiClient> => as(service.api, await logIn(service));

  describe('POST /api/v1/user-nominee', () => {
    it('registers one nominee', async () => {
      const api = await newUser();
      const response = await postNominee(api);
      expect({ status: response.status, body: response.body as object }).toEqual({
        status: 201,
        body: {
          success: 1,
          statusCode: 201,
          message: 'Nomination registered',
          payload: {
            nominee_id: expect.any(String) as string,
            nominees: [
              {
                nominee_id: expect.any(String) as string,
                name: 'Meera Rao',
                relationship: 'SPOUSE',
                dob: null,
                is_minor: null,
                email: null,
                phone: null,
                pan: null,
                has_address: false,
                share_percentage: 100,
                nomination_type: 'SIMULTANEOUS',
                priority: null,
                guardian: null,
              },
            ],
            is_nominee_skipped: false,
            warnings: [],
          },
        },
      });
      const { nominee_id, nominees } = (response.body as { payload: NominationPayload }).payload;
      expect(isUuid(nominee_id)).toBe(true);
      expect(await nomineesOf(api)).toEqual({ nominees, is_nominee_skipped: false });
    });

    it('registers all fields of a nominee, and returns them masked', async () => {
      const api = await newUser();
      const all = {
        relationship: 'step-daughter',
        dob: '2020-05-05',
        email: 'meera.rao@example.com',
        phone: '919812345678',
        pan: 'ABCPR1234K',
        address: { line1: '12 MG Road', city: 'Pune', state_code: 'MH', pincode: '411001' },
        share_percentage: 33.34,
        guardian: GUARDIAN,
      };
      const { nominees } = await nominate(api, aNominee(all));
      expect(nominees).toMatchObject([
        {
          relationship: 'STEPDAUGHTER',
          dob: '2020-05-05',
          is_minor: true,
          email: 'm***o@example.com',
          phone: '91XXXXXX5678',
          pan: 'XXXXXX234K',
          has_address: true,
          share_percentage: 33.34,
          guardian: GUARDIAN,
        },
      ]);
      expect(await nomineesOf(api)).toMatchObject({ nominees });
    });

    it('registers several nominees with their shares', async () => {
      const api = await newUser();
      const shares = [33.33, 33.33, 33.34];
      const { nominee_id, nominees } = await nominate(api, {
        nominees: shares.map((share_percentage) => aNominee({ share_percentage })),
      });
      expect(nominee_id).toBeUndefined();
      expect(nominees.map(({ share_percentage }) => share_percentage)).toEqual(shares);
      expect((await nomineesOf(api)).nominees).toEqual(nominees);
    });

    it('registers successive nominees, and lists them by priority', async () => {
      const api = await newUser();
      const names = ['Asha Rao', 'Meera Rao', 'Ravi Rao'];
      await nominate(api, {
        nominees: [
          aNominee({ name: names[1], nomination_type: 'SUCCESSIVE', priority: 2 }),
          aNominee({ name: names[0], nomination_type: 'SUCCESSIVE', priority: 1 }),
        ],
      });
      // without a type and a priority: takes the type of the others and the next priority
      await nominate(api, aNominee({ name: names[2] }));
      const { nominees } = await nomineesOf(api);
      expect(nominees.map(({ name, priority }) => [name, priority])).toEqual(
        names.map((name, i) => [name, i + 1]),
      );
    });

    it('counts a missing share as 100', async () => {
      const api = await newUser();
      await nominate(api);
      expectRefusal(await postNominee(api), NomineeErrors.sharesExceeded);
      expectRefusal(await postNominee(api, aNominee({ share_percentage: 1 })), NomineeErrors.sharesExceeded);
    });

    it('takes the issuer from the query, unless the body has one', async () => {
      const api = await newUser();
      expectRefusal(await postNominee(api, aNominee(), { issuer_code: 'NOBODY' }), IssuerErrors.unknown);
      expectRefusal(
        await postNominee(api, aNominee(), { issuer_code: ['ARAVFIN', 'KAVSFB'] }),
        GeneralErrors.fieldInvalid,
      );
      const both = await postNominee(api, aNominee({ issuer_code: 'ARAVFIN' }), { issuer_code: 'NOBODY' });
      expect(both.status).toBe(201);
    });

    it('takes a blank issuer for none', async () => {
      const api = await newUser();
      const shares = { share_percentage: 50 };
      expect((await postNominee(api, aNominee({ ...shares, issuer_code: '' }))).status).toBe(201);
      expect((await postNominee(api, aNominee(shares), { issuer_code: '' })).status).toBe(201);
    });

    it('registers another nominee under a key that was used days ago', async () => {
      const api = await newUser();
      const add = async (name: string): Promise<string> => {
        const options = { headers: { 'idempotency-key': 'nominee' } };
        const { body } = await api.post(NOMINEE_PATH, aNominee({ name, share_percentage: 30 }), options);
        await service.dataSource.query(
          "UPDATE onboarding.idempotent_calls SET expires_at = now() - interval '1 day'",
        );
        return (body as { payload: NominationPayload }).payload.nominees[0]!.name;
      };
      const names = ['Asha Rao', 'Meera Rao', 'Ravi Rao'];
      for (const name of names) expect(await add(name)).toBe(name);
      // repeats of calls that died before their answers
      for (const name of names) expect(await add(name)).toBe(name);
      expect((await nomineesOf(api)).nominees.map(({ name }) => name).sort()).toEqual(names);
    });

    it.each([
      [
        'without a name and a relationship',
        {},
        [NomineeErrors.nameInvalid, NomineeErrors.relationshipInvalid],
        'name',
      ],
      ['with a digit in the name', aNominee({ name: 'Meera 2' }), [NomineeErrors.nameInvalid], 'name'],
      [
        'with an unknown relationship',
        aNominee({ relationship: 'PET' }),
        [NomineeErrors.relationshipInvalid],
        'relationship',
      ],
      [
        'of a nominee born in the future',
        aNominee({ dob: '2999-01-01' }),
        [NomineeErrors.birthDateInvalid],
        'dob',
      ],
      [
        'of a nominee under 18 without a guardian',
        aNominee({ dob: '2020-05-05' }),
        [NomineeErrors.guardianMissing],
        'guardian',
      ],
      [
        'with a guardian under 18',
        aNominee({ dob: '2020-05-05', guardian: { ...GUARDIAN, dob: '2019-01-01' } }),
        [NomineeErrors.guardianInvalid],
        'guardian.dob',
      ],
      [
        'with an invalid nominee in its list',
        { nominees: [aNominee({ share_percentage: 50 }), aNominee({ name: '' })] },
        [NomineeErrors.nameInvalid],
        'nominees.1.name',
      ],
      [
        'of five nominees',
        { nominees: Array.from({ length: 5 }, () => aNominee()) },
        [NomineeErrors.tooMany],
        undefined,
      ],
      [
        'with a share over 100',
        aNominee({ share_percentage: 101 }),
        [NomineeErrors.sharesExceeded],
        'share_percentage',
      ],
      [
        'with shares over 100 together',
        { nominees: [aNominee({ share_percentage: 60 }), aNominee({ share_percentage: 60 })] },
        [NomineeErrors.sharesExceeded],
        'nominees.1.share_percentage',
      ],
      ['with an invalid email address', aNominee({ email: 'x' }), [GeneralErrors.fieldInvalid], 'email'],
      [
        'of two types',
        {
          nominees: [
            aNominee({ nomination_type: 'SUCCESSIVE' }),
            aNominee({ nomination_type: 'SIMULTANEOUS' }),
          ],
        },
        [GeneralErrors.fieldInvalid],
        'nominees.1.nomination_type',
      ],
      ['with an empty list', { nominees: [] }, [GeneralErrors.fieldInvalid], 'nominees'],
      ['with a text as its list', { nominees: 'x' }, [GeneralErrors.fieldInvalid], 'nominees'],
      ['with null in its list', { nominees: [null] }, [GeneralErrors.fieldInvalid], 'nominees.0'],
      ['for an unknown issuer', aNominee({ issuer_code: 'NOBODY' }), [IssuerErrors.unknown], undefined],
      [
        'for an issuer given as a number',
        aNominee({ issuer_code: 1 }),
        [GeneralErrors.fieldInvalid],
        'issuer_code',
      ],
      ['with a skip given as text', { skip_nominee: 'yes' }, [GeneralErrors.fieldInvalid], 'skip_nominee'],
      [
        'with a skip but no declaration',
        { skip_nominee: true },
        [GeneralErrors.fieldInvalid],
        'declaration_accepted',
      ],
    ] as const)('rejects a nomination %s, and stores nothing', async (_name, body, errors, field) => {
      const api = await newUser();
      const response = await postNominee(api, body);
      expectRefusal(response, ...errors);
      if (field) expect(fieldOf(response)).toBe(field);
      expect(await nomineesOf(api)).toEqual({ nominees: [], is_nominee_skipped: false });
    });

    it('stores nominees encrypted, and logs nothing about them', async () => {
      const user = await logIn(service);
      await nominate(
        as(service.api, user),
        aNominee({ name: 'Chandrika Venkataraman', email: 'cv@example.com' }),
      );
      const [row] = await service.dataSource.query<Record<string, unknown>[]>(
        'SELECT * FROM onboarding.nominees WHERE user_id = $1',
        [user.user_id],
      );
      expect(row!['person_encrypted']).toMatch(/^k1\./);
      expect(JSON.stringify(row)).not.toMatch(/Chandrika|cv@example|SPOUSE/);
      expect(service.logs()).not.toMatch(/Chandrika|cv@example/);
    });
  });

  describe('nominee waiver', () => {
    it('returns the declaration that a waiver accepts', async () => {
      expect((await (await newUser()).get(NOMINEE_PATH)).body).toMatchObject({
        payload: {
          skip_declaration: { version: '2026-11', text: expect.stringContaining('nominee') as string },
        },
      });
    });

    it('records a waiver once, with the version of its declaration', async () => {
      const user = await logIn(service);
      const api = as(service.api, user);
      const payload = { nominees: [], is_nominee_skipped: true, warnings: [] };
      expect(await nominate(api, SKIP)).toEqual(payload);
      expect(await nominate(api, { ...SKIP, issuer_code: 'ARAVFIN' })).toEqual(payload);
      expect(await nomineesOf(api)).toEqual({ nominees: [], is_nominee_skipped: true });
      const rows = await service.dataSource.query<object[]>(
        'SELECT declaration_version, ended_at FROM onboarding.nominee_waivers WHERE user_id = $1',
        [user.user_id],
      );
      expect(rows).toEqual([{ declaration_version: '2026-11', ended_at: null }]);
    });

    it('ends the waiver when the user registers a nominee', async () => {
      const api = await newUser();
      await nominate(api, SKIP);
      expect(await nomineeStepOf(api)).toBe('SKIPPED');
      await nominate(api);
      expect(await nomineeStepOf(api)).toBe('DONE');
      expect((await nomineesOf(api)).is_nominee_skipped).toBe(false);
    });

    it('refuses a waiver while the user has nominees', async () => {
      const api = await newUser();
      const { nominee_id } = await nominate(api);
      const refused = await postNominee(api, SKIP);
      expectRefusal(refused, GeneralErrors.fieldInvalid);
      expect(fieldOf(refused)).toBe('skip_nominee');
      await api.delete(`${NOMINEE_PATH}/${nominee_id}`);
      expect((await nominate(api, SKIP)).is_nominee_skipped).toBe(true);
    });

    it('refuses a waiver when the issuer of the call, or the last issuer, requires a nominee', async () => {
      const api = await newUser();
      expectRefusal(await postNominee(api, { ...SKIP, issuer_code: 'SAHCAP' }), NomineeErrors.required);
      expectRefusal(await postNominee(api, { skip_nominee: true }), NomineeErrors.required);
      expectRefusal(await postNominee(api, SKIP, { issuer_code: 'SAHCAP' }), NomineeErrors.required);
      expect((await postNominee(api, { ...SKIP, issuer_code: 'VINBANK' })).status).toBe(201);
    });
  });

  it('deletes a waiver seven years after its end, and keeps one that holds', async () => {
    const { user_id } = await logIn(service);
    for (const ended of ["now() - interval '7 years 1 day'", "now() - interval '6 years 364 days'", 'NULL'])
      await withoutTriggers(
        service,
        `INSERT INTO onboarding.nominee_waivers (id, user_id, declaration_version, declared_at, ended_at)
         VALUES (gen_random_uuid(), $1, '1', now() - interval '9 years', ${ended})`,
        [user_id],
      );
    await service.app.get(Jobs).runCleanup();
    const left = await service.dataSource.query<{ years: number | null }[]>(
      `SELECT extract(year FROM age(now(), ended_at))::int AS years FROM onboarding.nominee_waivers
        WHERE user_id = $1 ORDER BY ended_at`,
      [user_id],
    );
    expect(left).toEqual([{ years: 6 }, { years: null }]);
  });

  it('rejects every call without an access token', async () => {
    expectRefusal(await postNominee(service.api), SessionErrors.tokenMissing);
    expectRefusal(await service.api.get(NOMINEE_PATH), SessionErrors.tokenMissing);
    expectRefusal(
      await service.api.put(`${NOMINEE_PATH}/${UNKNOWN_ID}`, aNominee()),
      SessionErrors.tokenMissing,
    );
    expectRefusal(await service.api.delete(`${NOMINEE_PATH}/${UNKNOWN_ID}`), SessionErrors.tokenMissing);
  });
});

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
    it('requires a guardian for a nominee until midnight in India before the 18th birthday', async () => {
      const replica = await service.replica();
      const { clock } = replica;
      const { tomorrow, dob } = twoMinutesBefore18(clock);
      const nominee = aNominee({ dob, share_percentage: 10 });

      const evening = as(replica.api, await logIn(replica));
      expectRefusal(await postNominee(evening, nominee), NomineeErrors.guardianMissing);
      expectRefusal(
        await postNominee(evening, { ...nominee, guardian: { ...GUARDIAN, dob } }),
        NomineeErrors.guardianInvalid,
      );
      const { nominees } = await nominate(evening, { ...nominee, guardian: GUARDIAN });
      expect(nominees).toMatchObject([{ is_minor: true, guardian: GUARDIAN }]);

      clock.advanceSeconds(180);
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
      { numRuns: 40 },
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
