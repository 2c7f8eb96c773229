import { type ErrorDefinition, IssuerErrors, PersonalDetailsErrors } from '@fd/errors';
import { type ApiClient, expectRefusal, expectUnusable } from '@fd/testing';
import type { Response } from 'supertest';
import { as, logIn } from '../support/login.js';
import {
  allDetails,
  anAddress,
  DETAILS_PATH,
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

/** What no text field takes. */
const NO_TEXTS: readonly [string, unknown][] = [
  ['a number', 1],
  ['a boolean', true],
  ['a list', ['FEMALE']],
  ['an object', { key: 'FEMALE' }],
  ['deep', { a: { a: { a: { a: { a: [1] } } } } }],
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

describe('what POST /api/v1/personal-details refuses', () => {
  let service: TestService;
  let api: ApiClient;
  beforeAll(async () => {
    service = await startService();
    api = as(service.api, await logIn(service));
  });
  afterAll(() => service.close());

  /** All that the strictest issuer asks for, but for one change. */
  const post = (change: object): Promise<Response> =>
    postDetails(api, { ...allDetails(), ...change }, 'vindhya');
  const postAddress = (change: object) => post({ communication_address: anAddress(change) });
  function expectRefused(response: Response, error: ErrorDefinition, field: string): void {
    expectRefusal(response, error);
    expect(reasonsOf(response)).toEqual([field]);
  }

  describe.each(CHOICES)('%s', (field) => {
    it.each<[string, unknown, ErrorDefinition]>([
      ['left out', undefined, MISSING],
      ['null', null, MISSING],
      ['empty', '', MISSING],
      ['blank', '  ', MISSING],
      ['not offered', 'X', BAD],
      ['in lower case', String(allDetails()[field]).toLowerCase(), BAD],
      ['with a blank', `${String(allDetails()[field])} `, BAD],
      ['a key of all objects', 'constructor', BAD],
      ...NO_TEXTS.map(([name, value]): [string, unknown, ErrorDefinition] => [name, value, BAD]),
    ])('%s', async (_name, value, error) => {
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
      ['digits', 'Lakshmi 2', BAD],
      ['markup', '<script>alert(1)</script>', BAD],
      ['injection text', "' OR 1=1 --", BAD],
      ['a sign first', '-Lakshmi', BAD],
      ['a NUL', 'Lak\u0000shmi', BAD],
      ['half a character', 'Lakshmi\ud800', BAD],
      ...NO_TEXTS.map(([name, value]): [string, unknown, ErrorDefinition] => [name, value, BAD]),
    ])('%s', async (_name, value, error) => {
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
    ])('%s', async (_name, value, error) => {
      expectRefused(await post({ [field]: value }), error, field);
    });
  });

  describe('communication_address', () => {
    it.each<[string, unknown, ErrorDefinition, string]>([
      ['left out', undefined, MISSING, ''],
      ['null', null, MISSING, ''],
      ['a text', '12, Lake Road, Bengaluru 560001', BAD, ''],
      ['a list', [anAddress()], BAD, ''],
      ['a number', 5, BAD, ''],
      ['empty', {}, MISSING, '.line1'],
    ])('%s', async (_name, communication_address, error, path) => {
      expectRefused(await post({ communication_address }), error, `communication_address${path}`);
    });

    it.each(['line1', 'city', 'state_code', 'pincode'])('without %s', async (line) => {
      for (const value of [undefined, null, '', '  ']) {
        expectRefused(await postAddress({ [line]: value }), MISSING, `communication_address.${line}`);
      }
    });

    it.each<[string, string, unknown]>([
      ['line1', 'too long', 'a'.repeat(201)],
      ['line1', 'with a control character', 'Lake\u0007Road'],
      ['line1', 'a number', 12],
      ['line2', 'too long', 'a'.repeat(201)],
      ['line2', 'an object', {}],
      ['city', 'too long', 'a'.repeat(101)],
      ['city', 'a list', ['Bengaluru']],
      ['state_code', 'unknown', 'XX'],
      ['state_code', 'in lower case', 'ka'],
      ['state_code', 'the name', 'Karnataka'],
      ['state_code', 'a number', 29],
    ])('%s %s', async (line, _name, value) => {
      expectRefused(await postAddress({ [line]: value }), BAD, `communication_address.${line}`);
    });

    it.each([
      ['short', '12'],
      ['of 5 digits', '56000'],
      ['of 7 digits', '5600011'],
      ['beginning with 0', '060001'],
      ['with a blank', '560 001'],
      ['with a letter', '56000A'],
      ['in digits of another script', '५६०००१'],
      ['a number', 560001],
      ['a list', ['560001']],
    ])('pincode %s', async (_name, pincode) => {
      expectRefused(await postAddress({ pincode }), PINCODE, 'communication_address.pincode');
    });
  });

  describe('declarations', () => {
    const acceptance = { code: 'OWN_FUNDS', version: '2026-11', accepted: true };
    const rest = allDetails().declarations.slice(1);

    it.each<[string, unknown, string]>([
      ['left out', undefined, '.OWN_FUNDS'],
      ['null', null, '.OWN_FUNDS'],
      ['empty', [], '.OWN_FUNDS'],
      ['a text', 'OWN_FUNDS', ''],
      ['an object', acceptance, ''],
      ['a boolean', true, ''],
      ['codes alone', ['OWN_FUNDS', 'FATCA', 'TERMS'], ''],
      ['nulls', [null, null], ''],
      ['lists', [[acceptance]], ''],
      ['one not accepted', [{ ...acceptance, accepted: false }, ...rest], '.OWN_FUNDS'],
      ['one accepted and then not', [acceptance, ...rest, { ...acceptance, accepted: false }], '.OWN_FUNDS'],
      ['one of an old version', [{ ...acceptance, version: '2025-01' }, ...rest], '.OWN_FUNDS'],
      ['one without a version', [{ ...acceptance, version: undefined }, ...rest], ''],
      ['one accepted by a text', [{ ...acceptance, accepted: 'true' }, ...rest], ''],
      ['one accepted by a number', [{ ...acceptance, accepted: 1 }, ...rest], ''],
      ['one without a code', [{ ...acceptance, code: undefined }, acceptance, ...rest], ''],
      ['one whose code is no text', [{ ...acceptance, code: { $ne: null } }, acceptance, ...rest], ''],
      ['the last one missing', [acceptance, rest[0]], '.TERMS'],
    ])('%s', async (_name, declarations, path) => {
      expectRefused(await post({ declarations }), DECLARATION, `declarations${path}`);
    });

    it('but not those that there are not', async () => {
      const user = as(service.api, await logIn(service));
      const unknown = { code: 'OBEDIENCE', version: '1', accepted: false };
      const declarations = [unknown, ...allDetails().declarations];
      const response = await postDetails(user, { ...allDetails(), declarations }, 'vindhya');
      expect(detailsIn(response).declarations).toHaveLength(3);
    });
  });

  it.each<[string, object, ErrorDefinition, string]>([
    ['a missing field before a bad one', { gender: undefined, occupation: 'X' }, MISSING, 'gender'],
    ['a bad field before a missing one', { gender: 'X', occupation: undefined }, BAD, 'gender'],
    [
      'an address before what follows it',
      { communication_address: anAddress({ city: 5, pincode: '1' }), is_pep: 'no', declarations: [] },
      BAD,
      'communication_address.city',
    ],
    [
      'declarations last',
      { is_tax_resident_india_only: 'no', declarations: [] },
      BAD,
      'is_tax_resident_india_only',
    ],
  ])('in the order of the fields: %s', async (_name, change, error, field) => {
    expectRefused(await post(change), error, field);
  });

  it('a field that the issuer does not ask for, when it is given and not valid', async () => {
    const change = { ...allDetails(), mother_name: '7' };
    expectRefused(await postDetails(api, change, 'nilgiri'), BAD, 'mother_name');
  });

  it('an issuer that there is not, before the fields', async () => {
    expectRefusal(
      await api.post(DETAILS_PATH, {}, { query: { issuer_code: 'NOBODY' } }),
      IssuerErrors.unknown,
    );
  });

  it('without saving anything', async () => {
    expect(detailsIn(await getDetails(api, 'vindhya'))).toMatchObject({
      gender: null,
      communication_address: null,
      declarations: [],
    });
  });

  it.each<[string, string | undefined, string | undefined]>([
    ['an empty body', '', 'application/json'],
    ['no body', undefined, undefined],
    ['text/plain', '{"gender":"FEMALE"}', 'text/plain'],
    ['a list', '[]', 'application/json'],
    ['too deep', `{"communication_address":${'['.repeat(3_000)}${']'.repeat(3_000)}}`, 'application/json'],
    ['too many keys', JSON.stringify({ declarations: Array(3_000).fill(1) }), 'application/json'],
  ])('%s', async (_name, body, contentType) => {
    expectUnusable(await api.raw('post', DETAILS_PATH, body, contentType), 'Bad Request');
  });

  it('but not fields that it does not know, and keys that reach prototypes', async () => {
    const user = as(service.api, await logIn(service));
    const details = JSON.stringify({ ...allDetails(), shoe_size: 42 }).slice(1);
    const body = `{"__proto__":{"gender":"X"},"constructor":{"prototype":{"gender":"X"}},${details}`;
    const response = await user.raw('post', DETAILS_PATH, body, 'application/json');
    expect(response.status).toBe(200);
    expect(JSON.stringify(response.body)).not.toContain('shoe_size');
    expect(({} as { gender?: string }).gender).toBeUndefined();
  });
});
