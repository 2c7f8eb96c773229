import type { BookingCheckPayload, JourneyPayload, PersonalDetailsPayload } from '@fd/contracts';
import {
  BankErrors,
  type ErrorDefinition,
  GeneralErrors,
  IssuerErrors,
  NomineeErrors,
  PersonalDetailsErrors,
  SessionErrors,
} from '@fd/errors';
import { type ApiClient, expectRefusal } from '@fd/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Response } from 'supertest';
import { UserChanges } from '../../src/application/user-changes.js';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { bankBody, payloadOf, postBank } from '../support/bank.js';
import { ISSUER_CODES, ISSUER_SLUGS, issuerPath, type IssuerSlug } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { aNominee, GUARDIAN, nominate, postNominee } from '../support/nominees.js';
import { knownAs } from '../support/pan.js';
import { withoutTriggers } from '../support/past-rows.js';
import {
  allDetails,
  anAddress,
  ASKED,
  DETAILS_PATH,
  detailsFor,
  detailsIn,
  getDetails,
  OPTIONS_PATH,
  optionsOf,
  postDetails,
  reasonsOf,
  saveDetails,
} from '../support/personal-details.js';
import { tracesOf } from '../support/traces.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('personal details', () => {
  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };
  const journey = () => service.app.get(JourneyRepository);
  /** Returns the issuers at which the step is done. */
  const doneAt = async (userId: string): Promise<IssuerSlug[]> => {
    const states = await Promise.all(ISSUER_SLUGS.map((slug) => journey().statesOf(userId, slug)));
    return ISSUER_SLUGS.filter((_, i) => states[i]!.PERSONAL_DETAILS?.state === 'DONE');
  };

  const detailsWithoutDeclarations = () => {
    const { declarations: _, ...answers } = allDetails();
    return answers;
  };

  describe('GET /api/v1/personal-details', () => {
    it('returns null fields for a new user, and as missing what every issuer asks for', async () => {
      const { api } = await aUser();
      const response = await getDetails(api);
      expect(response.status).toBe(200);
      const { expected_params: schema, ...rest } = detailsIn(response);
      expect(rest).toEqual({
        issuer_code: null,
        gender: null,
        marital_status: null,
        mother_name: null,
        occupation: null,
        annual_income_range: null,
        source_of_funds: null,
        place_of_birth: null,
        nationality: null,
        residential_status: null,
        communication_address: null,
        is_pep: null,
        is_tax_resident_india_only: null,
        declarations: [],
        missing: ['gender', 'occupation', 'communication_address', 'is_pep', 'declarations.OWN_FUNDS'],
      });
      expect(Object.keys((schema as { properties: object }).properties)).toEqual(Object.keys(allDetails()));
    });

    it("asks for the details of the user's last issuer when the call names none", async () => {
      const { api } = await aUser();
      await getDetails(api, 'nilgiri');
      const payload = detailsIn(await getDetails(api));
      expect(payload.issuer_code).toBe('NILHFC');
      expect(payload.missing).toContain('source_of_funds');
      expect(payload.missing).not.toContain('mother_name');
    });

    it('does not return the details of another user', async () => {
      const [{ api }, other] = [await aUser(), await aUser()];
      await saveDetails(api, 'vindhya');
      expect(detailsIn(await getDetails(other.api, 'vindhya'))).toMatchObject({
        gender: null,
        declarations: [],
      });
    });
  });

  describe('POST /api/v1/personal-details', () => {
    it('completes the step at every issuer that asks for no more', async () => {
      const [all, few] = [await aUser(), await aUser()];
      await saveDetails(all.api, 'vindhya');
      expect(await doneAt(all.user_id)).toEqual(ISSUER_SLUGS);
      await saveDetails(few.api, 'aravalli');
      expect(await doneAt(few.user_id)).toEqual(['aravalli', 'nilgiri']);
    });

    it('asks only for the missing answers at another issuer', async () => {
      const { api, user_id } = await aUser();
      await saveDetails(api, 'aravalli');
      const { missing } = detailsIn(await getDetails(api, 'sahyadri'));
      expect(missing).toEqual(['mother_name', 'place_of_birth']);
      const { mother_name, place_of_birth } = allDetails();
      const response = await postDetails(api, { mother_name, place_of_birth }, 'sahyadri');
      expect(detailsIn(response)).toMatchObject({ gender: 'FEMALE', mother_name, missing: [] });
      expect(await doneAt(user_id)).toEqual(['aravalli', 'nilgiri', 'sahyadri']);
    });

    it('saves answers that only another issuer asks for', async () => {
      const { api, user_id } = await aUser();
      await postDetails(api, allDetails(), 'nilgiri');
      expect(detailsIn(await getDetails(api, 'vindhya'))).toMatchObject({
        ...detailsWithoutDeclarations(),
        missing: [],
      });
      expect(await doneAt(user_id)).toEqual(ISSUER_SLUGS);
    });

    it('saves details before the user has an issuer', async () => {
      const { api, user_id } = await aUser();
      expect(detailsIn(await postDetails(api, allDetails())).issuer_code).toBeNull();
      expect(await doneAt(user_id)).toEqual(ISSUER_SLUGS);
    });

    it('changes single fields, replaces an address as a whole, and keeps the step done', async () => {
      const { api, user_id } = await aUser();
      await saveDetails(api, 'aravalli');
      const { line2: _, ...short } = anAddress({ line1: '1, Hill Road', city: 'Mysuru' });
      const change = { occupation: 'RETIRED', is_pep: true, communication_address: short };
      expect(detailsIn(await postDetails(api, change, 'aravalli'))).toMatchObject({
        gender: 'FEMALE',
        occupation: 'RETIRED',
        is_pep: true,
        communication_address: { ...short, line2: null },
      });
      expect(await doneAt(user_id)).toEqual(['aravalli', 'nilgiri']);
    });

    it('keeps saved answers when fields are empty, null or left out', async () => {
      const { api } = await aUser();
      const before = await saveDetails(api, 'sahyadri');
      const nothing = { gender: null, mother_name: '  ', communication_address: null, declarations: [] };
      expect(detailsIn(await postDetails(api, nothing, 'sahyadri'))).toEqual(before);
      expect(detailsIn(await postDetails(api, {}, 'sahyadri'))).toEqual(before);
    });

    it('keeps all saved answers when one field of a change is invalid', async () => {
      const { api } = await aUser();
      const before = await saveDetails(api, 'kaveri');
      const change = { occupation: 'RETIRED', gender: 'X' };
      expectRefusal(await postDetails(api, change, 'kaveri'), PersonalDetailsErrors.invalid);
      expect(detailsIn(await getDetails(api, 'kaveri'))).toEqual(before);
    });

    it('trims text and collapses the spaces within it', async () => {
      const { api } = await aUser();
      const body = {
        ...detailsFor('sahyadri'),
        mother_name: '  Lakshmi \t Rao ',
        communication_address: anAddress({ line1: ' 12,  Lake\nRoad ', line2: '   ' }),
      };
      expect(detailsIn(await postDetails(api, body, 'sahyadri'))).toMatchObject({
        mother_name: 'Lakshmi Rao',
        communication_address: { line1: '12, Lake Road', line2: null },
      });
    });

    describe('declarations', () => {
      it('keeps the time of the first acceptance', async () => {
        const { api } = await aUser();
        const first = await saveDetails(api, 'nilgiri');
        expect((await saveDetails(api, 'aravalli')).declarations).toEqual(
          expect.arrayContaining(first.declarations),
        );
      });

      it('asks for a declaration again when it has a new version', async () => {
        const { api, user_id } = await aUser();
        await saveDetails(api, 'nilgiri');
        await withoutTriggers(
          service,
          "UPDATE onboarding.accepted_declarations SET version = '2025-01' WHERE user_id = $1",
          [user_id],
        );
        expect(detailsIn(await getDetails(api, 'nilgiri'))).toMatchObject({
          declarations: [],
          missing: ['declarations.OWN_FUNDS'],
        });
        const blocking = async () =>
          (
            (await api.get(issuerPath('nilgiri', 'v1/booking-check'))).body as {
              payload: BookingCheckPayload;
            }
          ).payload.blockers.map(({ step }) => step);
        expect(await blocking()).toContain('PERSONAL_DETAILS');
        const journey = (await api.get(issuerPath('nilgiri', 'v1/journey'))).body as {
          payload: JourneyPayload;
        };
        const { status } = journey.payload.steps.find(({ step }) => step === 'PERSONAL_DETAILS')!;
        expect(status).not.toBe('DONE');
        expectRefusal(await postDetails(api, {}, 'nilgiri'), PersonalDetailsErrors.declarationMissing);
        await saveDetails(api, 'nilgiri');
        expect(await blocking()).not.toContain('PERSONAL_DETAILS');
        const rows: unknown[] = await service.dataSource.query(
          'SELECT 1 FROM onboarding.accepted_declarations WHERE user_id = $1',
          [user_id],
        );
        expect(rows).toHaveLength(2);
      });

      it('ignores a declined declaration that the issuer does not ask for', async () => {
        const { api } = await aUser();
        const body = detailsFor('nilgiri') as { declarations: object[] };
        const declarations = [...body.declarations, { code: 'TERMS', version: '2026-11', accepted: false }];
        const saved = detailsIn(await postDetails(api, { ...body, declarations }, 'nilgiri'));
        expect(saved.declarations.map(({ code }) => code)).toEqual(['OWN_FUNDS']);
      });
    });

    it('stores no answer in clear text in PostgreSQL or Redis, and logs none', async () => {
      const { api } = await aUser();
      const secret = {
        mother_name: 'Quenby Zwicky',
        place_of_birth: 'Xylophonia',
        communication_address: anAddress({
          line1: '77, Vexillum Lane',
          city: 'Zanzibarpur',
          pincode: '918273',
        }),
      };
      expect((await postDetails(api, { ...allDetails(), ...secret })).status).toBe(200);
      expectRefusal(await postDetails(api, { ...secret, gender: 'Quenby' }), PersonalDetailsErrors.invalid);
      const traces = await tracesOf(service);
      expect(traces.logs).toContain(DETAILS_PATH);
      expect(traces.database).toContain('k1.');
      for (const trace of Object.values(traces)) {
        // a hash may contain the digits by chance
        expect(trace).not.toMatch(/Quenby|Xylophonia|Vexillum|Zanzibarpur|(?<![0-9a-f])918273(?![0-9a-f])/);
      }
    });

    it('answers 429 beyond 300 changes of a user in a day, since each is recorded for years', async () => {
      const { api, user_id } = await aUser();
      for (let i = 0; i < 3; i++) expect((await postDetails(api, allDetails())).status).toBe(200);
      // the others change nothing, since each over HTTP takes as long as ten of these
      const changes = service.app.get(UserChanges);
      for (let i = 4; i < 300; i++) await changes.transaction(user_id, () => Promise.resolve());
      expect((await postDetails(api, allDetails())).status).toBe(200);
      const refused = await postDetails(api, allDetails());
      expectRefusal(refused, GeneralErrors.tooManyRequests);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(80_000);
      expect((await getDetails(api)).status).toBe(200);
      expect((await postDetails((await aUser()).api, allDetails())).status).toBe(200);
    });

    it('keeps all fields of concurrent calls on two replicas', async () => {
      const replica = await service.replica();
      const changes = Object.entries(allDetails()).map(([field, value]) => ({ [field]: value }));
      const user = await aUser();
      await saveDetails(user.api, 'nilgiri');
      const other = as(replica.api, user);
      const save = (change: object, i: number) => postDetails(i % 2 ? other : user.api, change, 'nilgiri');
      const answers = await Promise.all(changes.map(save));
      expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
      expect(detailsIn(await getDetails(user.api, 'vindhya'))).toMatchObject({
        ...detailsWithoutDeclarations(),
        missing: [],
      });
      expect(await doneAt(user.user_id)).toEqual(ISSUER_SLUGS);
    });
  });

  describe('GET /api/v1/personal-details/options', () => {
    it('returns every choice, and each of them can be saved', async () => {
      const { api } = await aUser();
      const { options, declarations } = await optionsOf(api);
      expect(declarations.map(({ code }) => code)).toEqual(['OWN_FUNDS', 'FATCA', 'TERMS']);
      for (const { version, text } of declarations)
        expect([version, text.length > 40]).toEqual(['2026-11', true]);
      const { state_code: states, ...choices } = options;
      expect(states).toHaveLength(36);
      for (const [field, choice] of Object.entries(choices)) {
        for (const { key, value } of choice as { key: string; value: string }[]) {
          expect(value).not.toBe('');
          const saved = detailsIn(await postDetails(api, { ...allDetails(), [field]: key }));
          expect(saved[field as keyof PersonalDetailsPayload]).toBe(key);
        }
      }
      for (const { key } of states) {
        const address = anAddress({ state_code: key });
        const saved = detailsIn(await postDetails(api, { ...allDetails(), communication_address: address }));
        expect(saved.communication_address?.state_code).toBe(key);
      }
    });
  });

  it.each([
    ['GET', DETAILS_PATH],
    ['POST', DETAILS_PATH],
    ['GET', OPTIONS_PATH],
  ] as const)('rejects %s %s without an access token, and an unknown issuer', async (method, path) => {
    const { api } = await aUser();
    const call = (client: ApiClient, query: Record<string, string | string[]>) =>
      method === 'GET' ? client.get(path, { query }) : client.post(path, allDetails(), { query });
    expectRefusal(await call(service.api, {}), SessionErrors.tokenMissing);
    for (const issuer_code of ['NOBODY', 'kaveri', ['KAVSFB', 'ARAVFIN'], "' OR 1=1 --"]) {
      expectRefusal(await call(api, { issuer_code }), IssuerErrors.unknown);
    }
    expect((await call(api, { issuer_code: '' })).status).toBe(200);
  });
});

describe('personal details by issuer', () => {
  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };
  const stateAt = async (userId: string, slug: string) =>
    (await service.app.get(JourneyRepository).statesOf(userId, slug)).PERSONAL_DETAILS?.state;
  const byCode = (a: object, b: object) =>
    (a as { code: string }).code.localeCompare((b as { code: string }).code);

  describe.each(ISSUER_SLUGS)('%s', (slug) => {
    it(`returns exactly the fields and declarations that ${slug} asks for as missing`, async () => {
      const { api } = await aUser();
      const { missing, issuer_code } = detailsIn(await getDetails(api, slug));
      const { fields, declarations } = ASKED[slug];
      expect(issuer_code).toBe(ISSUER_CODES[slug]);
      expect(missing).toEqual([...fields, ...declarations.map((code) => `declarations.${code}`)]);
      const asked = (await optionsOf(api, slug)).declarations.map(({ code }) => code);
      expect(asked).toEqual(declarations);
    });

    it(`saves complete details and completes the step at ${slug}`, async () => {
      const { api, user_id } = await aUser();
      const response = await postDetails(api, detailsFor(slug), slug);
      expect({ status: response.status, body: response.body as object }).toMatchObject({
        status: 200,
        body: { success: 1, statusCode: 200, message: 'Personal details saved', payload: { missing: [] } },
      });
      const { declarations, ...answers } = detailsFor(slug) as { declarations: object[] };
      const saved = detailsIn(await getDetails(api, slug));
      expect(saved).toMatchObject(answers);
      expect(saved.declarations).toEqual(
        declarations.map((one) => ({ ...one, accepted_at: expect.any(String) as string })).sort(byCode),
      );
      expect(await stateAt(user_id, slug)).toBe('DONE');
    });

    it.each([...ASKED[slug].fields])(
      `rejects details for ${slug} without %s, and saves nothing`,
      async (field) => {
        const { api, user_id } = await aUser();
        const refused = await postDetails(api, { ...detailsFor(slug), [field]: undefined }, slug);
        expectRefusal(refused, PersonalDetailsErrors.missing);
        expect(reasonsOf(refused)).toEqual([field]);
        expect(detailsIn(await getDetails(api, slug)).gender).toBeNull();
        expect(await stateAt(user_id, slug)).toBeUndefined();
      },
    );

    it.each([...ASKED[slug].declarations])(
      `rejects details for ${slug} without the declaration %s`,
      async (code) => {
        const { api } = await aUser();
        const body = detailsFor(slug) as { declarations: { code: string }[] };
        const declarations = body.declarations.filter((one) => one.code !== code);
        const refused = await postDetails(api, { ...body, declarations }, slug);
        expectRefusal(refused, PersonalDetailsErrors.declarationMissing);
        expect(reasonsOf(refused)).toEqual([`declarations.${code}`]);
      },
    );

    it(`returns a JSON schema for ${slug} that agrees with the validation`, async () => {
      const { api } = await aUser();
      const { expected_params: schema } = detailsIn(await getDetails(api, slug));
      const validate = new Ajv2020({ strict: true }).compile(schema);
      expect(validate(detailsFor(slug))).toBe(true);
      for (const field of ASKED[slug].fields) {
        const { [field]: _, ...rest } = detailsFor(slug);
        expect([field, validate(rest)]).toEqual([field, false]);
      }
      expect(validate({ ...detailsFor(slug), declarations: [] })).toBe(false);
    });
  });
});

const MISSING = PersonalDetailsErrors.missing;
const BAD = PersonalDetailsErrors.invalid;
const PINCODE = PersonalDetailsErrors.pincodeInvalid;
const DECLARATION = PersonalDetailsErrors.declarationMissing;

/** Values that no text field accepts. */
const NO_TEXTS: readonly [string, unknown][] = [
  ['a number', 1],
  ['a boolean', true],
  ['a list', ['FEMALE']],
  ['an object', { key: 'FEMALE' }],
  ['a deep object', { a: { a: { a: { a: { a: [1] } } } } }],
];

const CHOICES = [
  'gender',
  'marital_status',
  'occupation',
  'annual_income_range',
  'source_of_funds',
  'nationality',
  'residential_status',
] as const;

describe('POST /api/v1/personal-details', () => {
  let service: TestService;
  let api: ApiClient;
  beforeAll(async () => {
    service = await startService();
    api = as(service.api, await logIn(service));
  });
  afterAll(() => service.close());

  /** Posts all fields that the strictest issuer asks for, with some changed. */
  const post = (change: object): Promise<Response> =>
    postDetails(api, { ...allDetails(), ...change }, 'vindhya');
  const postAddress = (change: object) => post({ communication_address: anAddress(change) });
  /** Expects the same error for each field. */
  function expectRefused(response: Response, error: ErrorDefinition, ...fields: string[]): void {
    expectRefusal(response, ...fields.map(() => error));
    expect(reasonsOf(response)).toEqual(fields);
  }

  describe.each(CHOICES)('%s', (field) => {
    it.each<[string, unknown, ErrorDefinition]>([
      ['left out', undefined, MISSING],
      ['null', null, MISSING],
      ['empty', '', MISSING],
      ['blank', '  ', MISSING],
      ['not offered', 'X', BAD],
      ['in lower case', String(allDetails()[field]).toLowerCase(), BAD],
      ['followed by a space', `${String(allDetails()[field])} `, BAD],
      ['a key that every object has', 'constructor', BAD],
      ...NO_TEXTS.map(([name, value]): [string, unknown, ErrorDefinition] => [name, value, BAD]),
    ])(`rejects a body whose ${field} is %s`, async (_name, value, error) => {
      expectRefused(await post({ [field]: value }), error, field);
    });
  });

  describe.each(['mother_name', 'place_of_birth'] as const)('%s', (field) => {
    it.each<[string, unknown, ErrorDefinition]>([
      ['left out', undefined, MISSING],
      ['null', null, MISSING],
      ['blank', '\t ', MISSING],
      ['one letter', 'A', BAD],
      ['101 letters', 'a'.repeat(101), BAD],
      ['very long', 'a'.repeat(50_000), BAD],
      ['a name with a digit', 'Lakshmi 2', BAD],
      ['markup', '<script>alert(1)</script>', BAD],
      ['SQL', "' OR 1=1 --", BAD],
      ['a name that starts with a hyphen', '-Lakshmi', BAD],
      ['a name with a NUL character', 'Lak\u0000shmi', BAD],
      ['a name with half a surrogate pair', 'Lakshmi\ud800', BAD],
      ...NO_TEXTS.map(([name, value]): [string, unknown, ErrorDefinition] => [name, value, BAD]),
    ])(`rejects a body whose ${field} is %s`, async (_name, value, error) => {
      expectRefused(await post({ [field]: value }), error, field);
    });
  });

  describe.each(['is_pep', 'is_tax_resident_india_only'] as const)('%s', (field) => {
    it.each<[string, unknown, ErrorDefinition]>([
      ['left out', undefined, MISSING],
      ['null', null, MISSING],
      ['the text "true"', 'true', BAD],
      ['0', 0, BAD],
      ['a list', [true], BAD],
      ['an object', {}, BAD],
    ])(`rejects a body whose ${field} is %s`, async (_name, value, error) => {
      expectRefused(await post({ [field]: value }), error, field);
    });
  });

  describe('communication_address', () => {
    it.each<[string, unknown, ErrorDefinition, ...string[]]>([
      ['left out', undefined, MISSING, ''],
      ['null', null, MISSING, ''],
      ['a text', '12, Lake Road, Bengaluru 560001', BAD, ''],
      ['a list', [anAddress()], BAD, ''],
      ['a number', 5, BAD, ''],
      ['empty', {}, MISSING, '.line1', '.city', '.state_code', '.pincode'],
    ])(
      'rejects a body whose communication_address is %s',
      async (_name, communication_address, error, ...paths) => {
        const fields = paths.map((path) => `communication_address${path}`);
        expectRefused(await post({ communication_address }), error, ...fields);
      },
    );

    it.each(['line1', 'city', 'state_code', 'pincode'])('rejects an address without %s', async (line) => {
      for (const value of [undefined, null, '', '  ']) {
        expectRefused(await postAddress({ [line]: value }), MISSING, `communication_address.${line}`);
      }
    });

    it.each<[string, string, unknown]>([
      ['line1', 'too long', 'a'.repeat(201)],
      ['line1', 'a text with a control character', 'Lake\u0007Road'],
      ['line1', 'a number', 12],
      ['line2', 'too long', 'a'.repeat(201)],
      ['line2', 'an object', {}],
      ['city', 'too long', 'a'.repeat(101)],
      ['city', 'a list', ['Bengaluru']],
      ['state_code', 'unknown', 'XX'],
      ['state_code', 'in lower case', 'ka'],
      ['state_code', 'the name of a state', 'Karnataka'],
      ['state_code', 'a number', 29],
    ])('rejects an address whose %s is %s', async (line, _name, value) => {
      expectRefused(await postAddress({ [line]: value }), BAD, `communication_address.${line}`);
    });

    it.each([
      ['of 2 digits', '12'],
      ['of 5 digits', '56000'],
      ['of 7 digits', '5600011'],
      ['beginning with 0', '060001'],
      ['with a space', '560 001'],
      ['with a letter', '56000A'],
      ['in digits of another script', '५६०००१'],
      ['given as a number', 560001],
      ['given as a list', ['560001']],
    ])('rejects a pincode %s', async (_name, pincode) => {
      expectRefused(await postAddress({ pincode }), PINCODE, 'communication_address.pincode');
    });
  });

  it('reports every refused field in the order of the fields', async () => {
    const response = await post({
      declarations: [],
      mother_name: '',
      gender: 'X',
      communication_address: anAddress({ pincode: '12', state_code: 'XX' }),
    });
    expect(reasonsOf(response)).toEqual([
      'gender',
      'mother_name',
      'communication_address.state_code',
      'communication_address.pincode',
      'declarations.OWN_FUNDS',
      'declarations.FATCA',
      'declarations.TERMS',
    ]);
    const codes = (response.body as { error: { errorCode: string }[] }).error.map((item) => item.errorCode);
    const last = [DECLARATION.code, DECLARATION.code, DECLARATION.code];
    expect(codes).toEqual([BAD.code, MISSING.code, BAD.code, PINCODE.code, ...last]);
  });

  describe('declarations', () => {
    const ALL = ['.OWN_FUNDS', '.FATCA', '.TERMS'];
    const acceptance = { code: 'OWN_FUNDS', version: '2026-11', accepted: true };
    const rest = allDetails().declarations.slice(1);

    it.each<[string, unknown, ...string[]]>([
      ['no declarations', undefined, ...ALL],
      ['null as declarations', null, ...ALL],
      ['an empty list of declarations', [], ...ALL],
      ['a text as declarations', 'OWN_FUNDS', ''],
      ['an object as declarations', acceptance, ''],
      ['a boolean as declarations', true, ''],
      ['codes alone as declarations', ['OWN_FUNDS', 'FATCA', 'TERMS'], ''],
      ['nulls as declarations', [null, null], ''],
      ['lists as declarations', [[acceptance]], ''],
      ['a declaration that is not accepted', [{ ...acceptance, accepted: false }, ...rest], '.OWN_FUNDS'],
      [
        'a declaration that is accepted and then declined',
        [acceptance, ...rest, { ...acceptance, accepted: false }],
        '.OWN_FUNDS',
      ],
      ['an old version of a declaration', [{ ...acceptance, version: '2025-01' }, ...rest], '.OWN_FUNDS'],
      ['a declaration without a version', [{ ...acceptance, version: undefined }, ...rest], ''],
      ['a declaration accepted by a text', [{ ...acceptance, accepted: 'true' }, ...rest], ''],
      ['a declaration accepted by a number', [{ ...acceptance, accepted: 1 }, ...rest], ''],
      ['a declaration without a code', [{ ...acceptance, code: undefined }, acceptance, ...rest], ''],
      [
        'a declaration whose code is an object',
        [{ ...acceptance, code: { $ne: null } }, acceptance, ...rest],
        '',
      ],
      ['the last declaration missing', [acceptance, rest[0]], '.TERMS'],
    ])('rejects a body with %s', async (_name, declarations, ...paths) => {
      const fields = paths.map((path) => `declarations${path}`);
      expectRefused(await post({ declarations }), DECLARATION, ...fields);
    });

    it('ignores unknown declarations', async () => {
      const user = as(service.api, await logIn(service));
      const unknown = { code: 'OBEDIENCE', version: '1', accepted: false };
      const declarations = [unknown, ...allDetails().declarations];
      const response = await postDetails(user, { ...allDetails(), declarations }, 'vindhya');
      expect(detailsIn(response).declarations).toHaveLength(3);
    });
  });

  it('rejects an invalid value in a field that the issuer does not ask for', async () => {
    const change = { ...allDetails(), mother_name: '7' };
    expectRefused(await postDetails(api, change, 'nilgiri'), BAD, 'mother_name');
  });

  it('reports an unknown issuer before the fields', async () => {
    expectRefusal(
      await api.post(DETAILS_PATH, {}, { query: { issuer_code: 'NOBODY' } }),
      IssuerErrors.unknown,
    );
  });

  it('saves nothing of rejected calls', async () => {
    expect(detailsIn(await getDetails(api, 'vindhya'))).toMatchObject({
      gender: null,
      communication_address: null,
      declarations: [],
    });
  });

  it.each<[string, string | undefined, string | undefined]>([
    ['an empty body', '', 'application/json'],
    ['a call without a body', undefined, undefined],
    ['a body of media type text/plain', '{"gender":"FEMALE"}', 'text/plain'],
    ['a list as body', '[]', 'application/json'],
    [
      'a body nested too deeply',
      `{"communication_address":${'['.repeat(3_000)}${']'.repeat(3_000)}}`,
      'application/json',
    ],
    [
      'a body with too many values',
      JSON.stringify({ declarations: Array(3_000).fill(1) }),
      'application/json',
    ],
  ])('rejects %s', async (_name, body, contentType) => {
    expectRefusal(await api.raw('post', DETAILS_PATH, body, contentType), GeneralErrors.requestUnreadable);
  });

  it('ignores unknown fields and keys that reach prototypes', async () => {
    const user = as(service.api, await logIn(service));
    const details = JSON.stringify({ ...allDetails(), shoe_size: 42 }).slice(1);
    const body = `{"__proto__":{"gender":"X"},"constructor":{"prototype":{"gender":"X"}},${details}`;
    const response = await user.raw('post', DETAILS_PATH, body, 'application/json');
    expect(response.status).toBe(200);
    expect(JSON.stringify(response.body)).not.toContain('shoe_size');
    expect(({} as { gender?: string }).gender).toBeUndefined();
  });
});

/** As typed, with a joiner or a non-joiner, and decomposed where the script allows it; and as stored. */
const NAMES = [
  ['Malayalam', 'അനില്\u200D മ\u0D46\u0D3Eഹന്\u200D', 'അനില്\u200D മൊഹന്\u200D'],
  ['Bengali', 'উত্\u200Dপল গ\u09C7\u09BEস্বামী', 'উত্\u200Dপল গোস্বামী'],
  ['Marathi', 'दर्\u200Dयाबाई', 'दर्\u200Dयाबाई'],
  ['Sinhala', 'ශ්\u200Dරී', 'ශ්\u200Dරී'],
  ['Kannada', 'ರಾಜ್\u200Cಕುಮಾರ್ ಕ\u0CC6\u0CC2ಡಗು', 'ರಾಜ್\u200Cಕುಮಾರ್ ಕೊಡಗು'],
  ['Telugu', 'రాజ్\u200Cకుమార్', 'రాజ్\u200Cకుమార్'],
] as const;

/** A joiner that changes no letter. */
const MISPLACED = 'As\u200Dha';

describe('names with joiners', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const newUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };

  it.concurrent.each(NAMES)(
    'accepts a nominee, a guardian, a mother, a place and a first name in %s',
    async (_script, typed, stored) => {
      const { api, user_id } = await newUser();
      await knownAs(service, user_id, stored);
      const { nominees } = await nominate(
        api,
        aNominee({ name: typed, dob: '2020-01-01', guardian: { ...GUARDIAN, name: typed } }),
      );
      expect(nominees).toMatchObject([{ name: stored, guardian: { name: stored } }]);
      const details = { ...detailsFor('sahyadri'), mother_name: typed, place_of_birth: typed };
      expect(detailsIn(await postDetails(api, details, 'sahyadri'))).toMatchObject({
        mother_name: stored,
        place_of_birth: stored,
      });
      // it is found on the PAN
      const body = bankBody({ account_holder_full_name: null, account_holder_first_name: typed });
      const response = await postBank(api, body);
      expect([response.status, payloadOf(response).name_match]).toMatchObject([200, { score: 100 }]);
    },
  );

  it('refuses joiners in other places, each field with its own error', async () => {
    const { api } = await newUser();
    expectRefusal(await postNominee(api, aNominee({ name: MISPLACED })), NomineeErrors.nameInvalid);
    const guardian = { ...GUARDIAN, name: MISPLACED };
    expectRefusal(
      await postNominee(api, aNominee({ dob: '2020-01-01', guardian })),
      NomineeErrors.guardianInvalid,
    );
    const details = { ...detailsFor('sahyadri'), mother_name: MISPLACED };
    expectRefusal(await postDetails(api, details, 'sahyadri'), PersonalDetailsErrors.invalid);
    const body = bankBody({ account_holder_full_name: null, account_holder_first_name: MISPLACED });
    expectRefusal(await postBank(api, body), BankErrors.firstNameInvalid);
  });

  it('warns of a nominee whose name differs from the applicant’s only by the encoding', async () => {
    const { api, user_id } = await newUser();
    await knownAs(service, user_id, 'അനിൽ മേനോൻ');
    const { warnings } = await nominate(api, aNominee({ name: 'അനില്\u200D മേനോന്\u200D' }));
    expect(warnings).toEqual([NomineeErrors.isApplicant.code]);
  });
});
