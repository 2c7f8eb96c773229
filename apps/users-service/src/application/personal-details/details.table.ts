import { NAME_PATTERN, PINCODE_PATTERN } from '@fd/contracts';

/**
 * Declarations that an issuer may require. A changed text gets a new version, which every user must accept again;
 * versions accepted earlier stay on record.
 */
export const DECLARATIONS = {
  OWN_FUNDS: {
    version: '2026-11',
    text: 'The money that I deposit is mine. It comes from the source that I have named, and from nothing unlawful.',
  },
  FATCA: {
    version: '2026-11',
    text: 'What I have said about the countries in which I pay taxes is true. I will report a change within 30 days, and the issuer may pass it on to the tax authorities.',
  },
  TERMS: {
    version: '2026-11',
    text: 'I have read the terms of the deposit, including those of its early withdrawal, and I agree to them.',
  },
} as const;

export type DeclarationCode = keyof typeof DECLARATIONS;
export const DECLARATION_CODES = Object.keys(DECLARATIONS) as DeclarationCode[];

/** Options: values to send, with their labels. Keys are append-only, because they are stored. */
export const OPTIONS = {
  gender: { FEMALE: 'Female', MALE: 'Male', TRANSGENDER: 'Transgender', OTHER: 'Other' },
  marital_status: { SINGLE: 'Single', MARRIED: 'Married', DIVORCED: 'Divorced', WIDOWED: 'Widowed' },
  occupation: {
    SALARIED: 'Salaried',
    GOVERNMENT_SERVICE: 'Government service',
    SELF_EMPLOYED: 'Self-employed',
    BUSINESS: 'Business',
    PROFESSIONAL: 'Professional',
    AGRICULTURE: 'Agriculture',
    HOMEMAKER: 'Homemaker',
    STUDENT: 'Student',
    RETIRED: 'Retired',
    OTHER: 'Other',
  },
  annual_income_range: {
    UP_TO_1_LAKH: 'Up to ₹1 lakh',
    FROM_1_TO_5_LAKH: '₹1 lakh to ₹5 lakh',
    FROM_5_TO_10_LAKH: '₹5 lakh to ₹10 lakh',
    FROM_10_TO_25_LAKH: '₹10 lakh to ₹25 lakh',
    FROM_25_LAKH_TO_1_CRORE: '₹25 lakh to ₹1 crore',
    ABOVE_1_CRORE: 'Above ₹1 crore',
  },
  source_of_funds: {
    SALARY: 'Salary',
    BUSINESS_INCOME: 'Business income',
    SAVINGS: 'Savings',
    INVESTMENTS: 'Investments',
    PENSION: 'Pension',
    RENT: 'Rent',
    AGRICULTURE: 'Agriculture',
    INHERITANCE: 'Inheritance',
    GIFT: 'Gift',
    SALE_OF_PROPERTY: 'Sale of property',
    OTHER: 'Other',
  },
  nationality: { INDIAN: 'Indian', OTHER: 'Other' },
  residential_status: {
    RESIDENT: 'Resident individual',
    NON_RESIDENT: 'Non-resident Indian',
    PERSON_OF_INDIAN_ORIGIN: 'Person of Indian origin',
    FOREIGN_NATIONAL: 'Foreign national',
  },
  /** States and union territories, by ISO 3166-2:IN. */
  state_code: {
    AN: 'Andaman and Nicobar Islands',
    AP: 'Andhra Pradesh',
    AR: 'Arunachal Pradesh',
    AS: 'Assam',
    BR: 'Bihar',
    CH: 'Chandigarh',
    CG: 'Chhattisgarh',
    DH: 'Dadra and Nagar Haveli and Daman and Diu',
    DL: 'Delhi',
    GA: 'Goa',
    GJ: 'Gujarat',
    HR: 'Haryana',
    HP: 'Himachal Pradesh',
    JK: 'Jammu and Kashmir',
    JH: 'Jharkhand',
    KA: 'Karnataka',
    KL: 'Kerala',
    LA: 'Ladakh',
    LD: 'Lakshadweep',
    MP: 'Madhya Pradesh',
    MH: 'Maharashtra',
    MN: 'Manipur',
    ML: 'Meghalaya',
    MZ: 'Mizoram',
    NL: 'Nagaland',
    OD: 'Odisha',
    PY: 'Puducherry',
    PB: 'Punjab',
    RJ: 'Rajasthan',
    SK: 'Sikkim',
    TN: 'Tamil Nadu',
    TS: 'Telangana',
    TR: 'Tripura',
    UP: 'Uttar Pradesh',
    UK: 'Uttarakhand',
    WB: 'West Bengal',
  },
} as const;

export type OptionField = keyof typeof OPTIONS;

/** A part of a JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

const choice = (field: OptionField, title: string): JsonSchema => ({
  type: 'string',
  title,
  enum: Object.keys(OPTIONS[field]),
});

/** Printable text: no control characters, no lone surrogates. */
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
  pincode: { type: 'string', title: 'Pincode', pattern: PINCODE_PATTERN },
} as const satisfies Record<string, JsonSchema>;
export type AddressField = keyof typeof ADDRESS_FIELDS;

/** All fields that an issuer may require, in the order of checks. */
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

/** Free text; leading, trailing and repeated blanks are removed. */
export const WRITTEN_FIELDS: readonly string[] = ['mother_name', 'place_of_birth', 'line1', 'line2', 'city'];
