import {
  agreed,
  agreedAsIn,
  fieldsOf,
  inputFor,
  requiredOf,
  sampleOf,
  type Schema,
  typedValue,
  valueAt,
  withValue,
} from './schema.js';

const SCHEMA: Schema = {
  type: 'object',
  properties: {
    gender: { type: 'string', title: 'Gender', enum: ['FEMALE', 'MALE'] },
    mother_name: { type: ['string', 'null'], description: 'Her name.' },
    address: {
      type: 'object',
      properties: { line1: { type: 'string' }, pincode: { type: 'string' } },
      required: ['pincode'],
    },
    is_pep: { type: 'boolean' },
    amount: { type: 'number', example: 50_000 },
    declarations: {
      type: 'array',
      allOf: [
        {
          contains: {
            type: 'object',
            properties: {
              code: { const: 'FATCA' },
              version: { const: '2026-11' },
              accepted: { const: true },
            },
            required: ['code', 'version', 'accepted'],
          },
        },
      ],
    },
    extras: { type: 'object' },
  },
  required: ['gender', 'mother_name', 'address', 'is_pep', 'amount', 'declarations'],
};

describe('a form generated from a JSON Schema', () => {
  const fields = fieldsOf(SCHEMA);
  const field = (name: string) => fields.find((one) => one.name === name)!;

  it('returns a field of the matching kind for each property, in order', () => {
    expect(fields.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
      'gender: choice',
      'mother_name: text',
      'address: group',
      'is_pep: flag',
      'amount: number',
      'declarations: json',
      'extras: json',
    ]);
  });

  it('takes titles, choices and required fields from the schema', () => {
    expect(field('gender')).toMatchObject({ title: 'Gender', choices: ['FEMALE', 'MALE'], isRequired: true });
    expect(field('mother_name')).toMatchObject({ title: 'mother_name', description: 'Her name.' });
    expect(field('extras').isRequired).toBe(false);
    expect(field('address').fields.map(({ path, isRequired }) => [path.join('.'), isRequired])).toEqual([
      ['address.line1', false],
      ['address.pincode', true],
    ]);
  });

  it("fills in required fields: known values first, then the schema's examples, then the simplest values", () => {
    expect(requiredOf(SCHEMA, { pincode: '570001', mother_name: 'Savitri Devi' })).toEqual({
      gender: 'FEMALE',
      mother_name: 'Savitri Devi',
      address: { pincode: '570001' },
      is_pep: false,
      amount: 50_000,
      declarations: [],
    });
  });

  it.each([
    [{ type: 'integer' }, 1],
    [{ type: 'string' }, ''],
    [{ type: 'string', default: 'FD', enum: ['RD', 'FD'] }, 'FD'],
    [{}, ''],
  ] as const)('samples %j as %j', (schema, value) => {
    expect(sampleOf(schema)).toBe(value);
  });

  it('changes one value and keeps the others', () => {
    const body = { a: 1, b: { c: 2, d: 3 } };
    expect(withValue(body, ['b', 'c'], 9)).toEqual({ a: 1, b: { c: 9, d: 3 } });
    expect(withValue(body, ['b', 'c'], undefined)).toEqual({ a: 1, b: { d: 3 } });
    expect(withValue({}, ['x', 'y'], 1)).toEqual({ x: { y: 1 } });
    expect(body).toEqual({ a: 1, b: { c: 2, d: 3 } });
    expect([valueAt(body, ['b', 'd']), valueAt(body, ['x', 'y'])]).toEqual([3, undefined]);
  });

  it('sends typed values, valid or not', () => {
    const typed = (name: string, text: string) => typedValue(field(name), text);
    expect(typed('amount', '12.5')).toBe(12.5);
    expect(typed('amount', 'many')).toBe('many');
    expect(typed('is_pep', 'false')).toBe(false);
    expect(typed('mother_name', '')).toBe('');
    expect(typed('extras', '')).toBeUndefined();
  });
});

describe('consents and declarations', () => {
  const contains = {
    description: 'The money is mine.',
    type: 'object',
    properties: { code: { const: 'OWN_FUNDS' }, accepted: { const: true } },
    required: ['code', 'accepted'],
  };
  const schema: Schema = {
    type: 'object',
    properties: {
      number: { type: 'string' },
      consent_checked: { type: 'boolean', description: 'Must be true: the user consents to the check.' },
      further_consent: { type: 'boolean', description: 'Must be true to skip.' },
      declarations: { type: 'array', allOf: [{ contains }] },
    },
    required: ['number', 'consent_checked', 'declarations'],
  };
  const accepted = { code: 'OWN_FUNDS', accepted: true };
  const prefilled = { number: 'ABCPR1234K', consent_checked: false, declarations: [] };
  const given = { number: 'ABCPR1234K', consent_checked: true, declarations: [accepted] };

  it('are fields of their own kinds; a declaration has its text and the item that accepts it', () => {
    const fields = fieldsOf(schema);
    expect(fields.map(({ kind }) => kind)).toEqual(['text', 'consent', 'consent', 'declarations']);
    expect(fields.at(-1)).toMatchObject({ declarations: [{ text: 'The money is mine.', accepted }] });
  });

  it('are not given by a prefilled body', () => {
    expect(requiredOf(schema, { number: 'ABCPR1234K' })).toEqual(prefilled);
  });

  it('are all given in the place of the person, except optional ones', () => {
    expect(agreed(schema, prefilled)).toEqual(given);
    expect(agreed(undefined, prefilled)).toBe(prefilled);
  });

  it('stay as the person has ticked them when the other values are restored', () => {
    expect(agreedAsIn(schema, prefilled, { ...given, number: '12' })).toEqual(given);
    expect(agreedAsIn(schema, prefilled, { ...prefilled, number: '12' })).toEqual(prefilled);
    expect(agreedAsIn(schema, prefilled, { consent_checked: 'yes' })).toEqual(prefilled);
  });
});

describe('the input of a refused field', () => {
  it.each([
    ['gender', 'gender'],
    ['address.pincode', 'address.pincode'],
    ['pincode', 'address.pincode'],
    ['address', 'address.line1'],
    ['declarations.FATCA', 'declarations'],
    ['declarations[0].version', 'declarations'],
    ['unknown', undefined],
  ])('for %s is %s', (refused, path) => {
    expect(inputFor(fieldsOf(SCHEMA), refused)?.path.join('.')).toBe(path);
  });
});
