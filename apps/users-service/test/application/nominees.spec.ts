import type { NominationPayload } from '@fd/contracts';
import { GeneralErrors, IssuerErrors, NomineeErrors, SessionErrors } from '@fd/errors';
import { type ApiClient, expectRefusal } from '@fd/testing';
import { validate as isUuid } from 'uuid';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
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
import { startService, type TestService } from '../support/users-app.js';
import { withoutTriggers } from '../support/past-rows.js';

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
