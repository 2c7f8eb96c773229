import { type Body, requiredOf, type Schema } from '../forms/schema.js';
import type { MagicValue, Person } from '../shell/sandbox-api.js';
import type { Facts } from './facts.js';
import type { Call } from './journey.js';
import { provocationIn } from './magic.js';

/** The person and the deposit for forms. */
export interface Filling {
  readonly person: Person;
  readonly partnerUrl: string;
  readonly issuerCode: string;
  readonly facts: Facts;
  /** The deposit that the journey is about: rupees and days. */
  readonly deposit: { readonly amount: number; readonly tenure: number };
  readonly now: Date;
  readonly uuid: () => string;
}

const NOMINEE = { name: 'Chandralekha Venkataraman', relationship: 'SPOUSE', dob: '1987-03-09' };

/** Values by field name. */
const knownValues = ({ person, partnerUrl, facts }: Filling): Body => ({
  phone: person.phone,
  otp: '',
  partner_url: partnerUrl,
  number: person.pan,
  dob: person.dob,
  email: person.email,
  account: person.account,
  ifsc: person.ifsc,
  aadhaar_number: person.aadhaar,
  lead_id: facts.leadId,
  ekyc_request_id: facts.ekyc?.requestId ?? '',
  mother_name: 'Savitri Devi Gunasekaran',
  place_of_birth: 'Mysuru',
  line1: '12, Lotus Street',
  city: 'Mysuru',
  state_code: 'KA',
  pincode: '570001',
  is_pep: false,
  is_tax_resident_india_only: true,
});

/** Fields that a call needs although its schema does not require them. */
const FURTHER_FIELDS: readonly (readonly [path: RegExp, fields: (filling: Filling) => Body])[] = [
  [
    /\/insights-tracking$/,
    ({ issuerCode, now, uuid, deposit }) => ({
      event_id: uuid(),
      event_name: 'FD_SELECTED',
      issuer_code: issuerCode,
      occurred_at: now.toISOString(),
      properties: deposit,
    }),
  ],
  [/\/v1\/lead$/, ({ deposit }) => ({ fd_info: deposit, source: 'APP' })],
  [/\/bank\/sync-to-issuer$/, ({ issuerCode }) => ({ issuer_code: issuerCode })],
  [/\/user-nominee$/, () => NOMINEE],
];

/**
 * Returns a body with which the call succeeds once its code, which the inbox has, and the person's consents are added;
 * undefined for a call without a body.
 */
export function bodyFor({ path, schema }: Call, filling: Filling): Body | undefined {
  if (!schema) return undefined;
  const further = FURTHER_FIELDS.find(([pattern]) => pattern.test(path))?.[1](filling) ?? {};
  return { ...requiredOf(schema, knownValues(filling)), ...further };
}

/** Returns the address to which the code of a call was sent; undefined for a call without a code. */
export function codeAddress(
  { key, path, schema }: Call,
  body: Body | undefined,
  person: Person,
): string | undefined {
  if (!asksForCode(schema)) return undefined;
  if (key === 'aadhaar-verify') return person.aadhaar;
  const given = body?.[path.includes('/email/') ? 'email' : 'phone'];
  return typeof given === 'string' ? given : undefined;
}

const asksForCode = (schema: Schema | undefined): boolean => schema?.properties?.['otp'] !== undefined;

/** Names of the person's own values in the calls. */
const OF_PERSON: Readonly<Record<string, keyof Person>> = {
  phone: 'phone',
  number: 'pan',
  dob: 'dob',
  email: 'email',
  aadhaar_number: 'aadhaar',
  account: 'account',
  ifsc: 'ifsc',
};

/** The person, and values in use instead of the person's own because they provoke a failure. */
export interface Values {
  readonly person: Person;
  readonly provoked: Partial<Person>;
}

/** Returns the person's values with which the next calls are prefilled. */
export const inUse = ({ person, provoked }: Values): Person => ({ ...person, ...provoked });

/** The value of the person that a step verifies. */
const OF_STEP: Readonly<Record<string, keyof Person>> = {
  LOGIN: 'phone',
  PAN: 'pan',
  EKYC: 'aadhaar',
  EMAIL: 'email',
  BANK: 'account',
};

/** Returns the values after a successful call: a sent value becomes the person's own unless it provokes a failure. */
export function valuesAfter(
  values: Values,
  { step }: Call,
  body: Body | undefined,
  magicValues: readonly MagicValue[],
): Values {
  if (!body || step === 'NOMINEE') return values;
  const person: Partial<Record<keyof Person, string>> = {};
  const provoked: Partial<Record<keyof Person, string>> = { ...values.provoked };
  for (const [field, own] of Object.entries(OF_PERSON)) {
    const value = body[field];
    if (typeof value !== 'string' || value === '') continue;
    delete provoked[own];
    (provocationIn(own, value, magicValues) ? provoked : person)[own] = value;
  }
  return { person: { ...values.person, ...person }, provoked };
}

/** Returns what stays provoked after a call was refused: the next try uses the person's own value. */
export function provokedAfterRefusal(provoked: Partial<Person>, { step, key }: Call): Partial<Person> {
  const ended = OF_STEP[step];
  // the customer search uses the verified PAN
  if (ended === undefined || !(ended in provoked) || key === 'check-etb') return provoked;
  return Object.fromEntries(Object.entries(provoked).filter(([own]) => own !== ended));
}

/** Returns the body with the person's own values instead of those that provoke a failure; undefined without any. */
export function unprovoked(
  body: Body | undefined,
  person: Person,
  magicValues: readonly MagicValue[],
): Body | undefined {
  const own = Object.entries(OF_PERSON).flatMap(([field, name]) => {
    const value = body?.[field];
    const isMagic = typeof value === 'string' && provocationIn(name, value, magicValues) !== undefined;
    return isMagic ? [[field, person[name]] as const] : [];
  });
  return own.length > 0 ? { ...body, ...Object.fromEntries(own) } : undefined;
}
