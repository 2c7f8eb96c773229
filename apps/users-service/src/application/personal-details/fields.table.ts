import { type OptionField, OPTIONS } from './options.table.js';

/** A part of a JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A choice among the options of a field. */
const choice = (field: OptionField, title: string): JsonSchema => ({
  type: 'string',
  title,
  enum: Object.keys(OPTIONS[field]),
});

/** Letters of any script with their marks, blanks, and the signs that names of people and places have. */
const NAME_PATTERN = "^\\p{L}[\\p{L}\\p{M} .'-]*$";
/** Everything that can be written by hand: no control characters, no halves of characters. */
const LINE_PATTERN = '^[^\\p{Cc}\\p{Cs}\\p{Co}\\p{Cn}]*$';

const name = (title: string): JsonSchema => ({
  type: 'string',
  title,
  minLength: 2,
  maxLength: 100,
  pattern: NAME_PATTERN,
});
const line = (title: string, maxLength: number): JsonSchema => ({
  type: 'string',
  title,
  minLength: 1,
  maxLength,
  pattern: LINE_PATTERN,
});
const flag = (title: string): JsonSchema => ({ type: 'boolean', title });

/** Lines of an address, in the order in which they are checked. */
export const ADDRESS_FIELDS = {
  line1: line('House and street', 200),
  line2: line('Area or landmark', 200),
  city: line('City', 100),
  state_code: choice('state_code', 'State'),
  pincode: { type: 'string', title: 'Pincode', pattern: '^[1-9][0-9]{5}$' },
} as const satisfies Record<string, JsonSchema>;
export type AddressField = keyof typeof ADDRESS_FIELDS;

/** Everything that an issuer may ask for, in the order in which it is checked. */
export const DETAIL_FIELDS = {
  gender: choice('gender', 'Gender'),
  marital_status: choice('marital_status', 'Marital status'),
  mother_name: name("Mother's name"),
  occupation: choice('occupation', 'Occupation'),
  annual_income_range: choice('annual_income_range', 'Annual income'),
  source_of_funds: choice('source_of_funds', 'Source of funds'),
  place_of_birth: name('Place of birth'),
  nationality: choice('nationality', 'Nationality'),
  residential_status: choice('residential_status', 'Residential status'),
  communication_address: {
    type: 'object',
    title: 'Address for letters',
    properties: ADDRESS_FIELDS,
    required: ['line1', 'city', 'state_code', 'pincode'],
  },
  is_pep: flag('Politically exposed person'),
  is_tax_resident_india_only: flag('Pays taxes in India only'),
} as const satisfies Record<string, JsonSchema>;
export type DetailField = keyof typeof DETAIL_FIELDS;
export const DETAIL_FIELD_NAMES = Object.keys(DETAIL_FIELDS) as DetailField[];

/** What a person wrote rather than chose: blanks around it and in it do not matter. */
export const WRITTEN_FIELDS: readonly string[] = ['mother_name', 'place_of_birth', 'line1', 'line2', 'city'];
