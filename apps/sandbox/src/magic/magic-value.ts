/** Ways to fail that every party has: 503, never an answer, 500, and a web page instead of JSON. */
export const TROUBLES = ['unavailable', 'silent', 'broken', 'garbled'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** How each party behaves that does not simply do its work. */
export interface BehavioursOfParty {
  readonly sms: Trouble;
  readonly mail: 'unavailable' | 'silent' | 'rejected';
  readonly pan: Trouble | 'not_found' | 'invalid' | 'birth_date_differs' | 'aadhaar_not_linked';
  readonly bank: Trouble | 'other_name' | 'frozen' | 'closed' | 'pending';
  readonly aadhaar: Trouble | 'no_mobile' | 'other_person' | 'dead_code';
  /** Any issuer's own API. */
  readonly issuer: Trouble | 'invalid_beneficiary';
  /** What Vindhya knows that no other issuer does. */
  readonly 'issuer:vindhya': 'customer_kyc_complete' | 'customer_kyc_due';
}
export type Party = keyof BehavioursOfParty;

/** Inputs in which a magic value is looked for. */
export const MAGIC_INPUTS = ['phone', 'email', 'pan', 'account', 'aadhaar'] as const;
export type MagicInput = (typeof MAGIC_INPUTS)[number];

/** The part of an input that is looked at: it is magic when it ends with the value. */
export const MAGIC_PART: Readonly<Record<MagicInput, (input: string) => string>> = {
  phone: (phone) => phone,
  email: (address) => address.slice(0, Math.max(0, address.lastIndexOf('@'))),
  pan: (pan) => pan.slice(5, 9),
  account: (account) => account,
  // the last digit follows from the others, so nobody could choose it
  aadhaar: (aadhaar) => aadhaar.slice(0, -1),
};

/** What one party does about one ending of an input. */
export type Plays = {
  readonly [P in Party]: {
    readonly party: P;
    readonly input: MagicInput;
    readonly ending: string;
    readonly behaviour: BehavioursOfParty[P];
  };
}[Party];

/** A value that makes something other than success happen. */
interface DescribedValue {
  /** Input that it is a value of, as people say it. */
  readonly what: string;
  readonly value: string;
  readonly effect: string;
  /** A value to try. */
  readonly sample: string;
}

/** What the sandbox does about a value; without `plays` the effect is made by users-service's setting OTP_TEST_RULES. */
export type MagicValue = DescribedValue &
  ({ readonly plays: Plays } | { readonly plays?: undefined; readonly input: MagicInput });

export const inputOf = (magicValue: MagicValue): MagicInput =>
  magicValue.plays ? magicValue.plays.input : magicValue.input;

/** Whether a behaviour is one of those that look alike at every party. */
export function isTrouble(behaviour: string | undefined): behaviour is Trouble {
  return TROUBLES.some((trouble) => trouble === behaviour);
}
