import {
  BankErrors,
  type ErrorDefinition,
  GeneralErrors,
  IssuerErrors,
  NomineeErrors,
  PersonalDetailsErrors,
} from '@fd/errors';
import { type ApiClient, expectRefusal } from '@fd/testing';
import type { Response } from 'supertest';
import { bankBody, payloadOf, postBank } from '../support/bank.js';
import { as, logIn } from '../support/login.js';
import { aNominee, GUARDIAN, nominate, postNominee } from '../support/nominees.js';
import { knownAs } from '../support/pan.js';
import {
  allDetails,
  anAddress,
  DETAILS_PATH,
  detailsFor,
  detailsIn,
  getDetails,
  postDetails,
  reasonsOf,
} from '../support/personal-details.js';
import { startService, type TestService } from '../support/users-app.js';

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

  it.concurrent.each(NAMES)('accepts a nominee and a guardian in %s', async (_script, typed, stored) => {
    const { api } = await newUser();
    const { nominees } = await nominate(
      api,
      aNominee({ name: typed, dob: '2020-01-01', guardian: { ...GUARDIAN, name: typed } }),
    );
    expect(nominees).toMatchObject([{ name: stored, guardian: { name: stored } }]);
  });

  it.concurrent.each(NAMES)('accepts a mother and a place in %s', async (_script, typed, stored) => {
    const { api } = await newUser();
    const body = { ...detailsFor('sahyadri'), mother_name: typed, place_of_birth: typed };
    expect(detailsIn(await postDetails(api, body, 'sahyadri'))).toMatchObject({
      mother_name: stored,
      place_of_birth: stored,
    });
  });

  it.concurrent.each(NAMES)(
    'accepts a first name in %s and finds it on the PAN',
    async (_script, typed, stored) => {
      const { api, user_id } = await newUser();
      await knownAs(service, user_id, stored);
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
