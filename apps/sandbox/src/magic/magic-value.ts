/** Faults that all providers and issuers share: 503, no answer, 500, and a web page or XML instead of JSON. */
const FAULTS = ['unavailable', 'silent', 'broken', 'garbled', 'xml'] as const;
export type Fault = (typeof FAULTS)[number];

/** Behaviours of each provider or issuer other than success. */
export interface Behaviours {
  readonly sms: Fault | 'slow';
  readonly mail: 'unavailable' | 'silent' | 'rejected';
  readonly pan:
    | Fault
    | 'not_found'
    | 'invalid'
    | 'birth_date_differs'
    | 'aadhaar_not_linked'
    | 'slow'
    | 'very_slow'
    | 'no_money'
    | 'error_inside';
  readonly bank:
    | Fault
    | 'other_name'
    | 'no_name'
    | 'frozen'
    | 'closed'
    | 'no_account'
    | 'fraud'
    | 'refused_at_start'
    | 'no_result'
    | 'pending'
    | 'offline'
    | 'no_money'
    | 'error_inside'
    | 'silent_after_payment'
    | 'slow';
  /** The vendors of document lockers and KYC links, at the first read of an Aadhaar. */
  readonly locker: 'slow' | 'xml';
  readonly aadhaar: Fault | 'no_mobile' | 'other_person' | 'dead_code';
  /** Any issuer's own API. */
  readonly issuer: Fault | 'invalid_beneficiary';
  /** Behaviours of Vindhya only. */
  readonly 'issuer:vindhya': 'customer_kyc_complete' | 'customer_kyc_due';
}
export type Player = keyof Behaviours;

/** Inputs that may hold a magic value. */
export const MAGIC_INPUTS = ['phone', 'email', 'pan', 'account', 'aadhaar'] as const;
export type MagicInput = (typeof MAGIC_INPUTS)[number];

/** The significant part of an input, which is magic if it ends with the value. */
export const MAGIC_PART: Readonly<Record<MagicInput, (input: string) => string>> = {
  phone: (phone) => phone,
  email: (address) => address.slice(0, Math.max(0, address.lastIndexOf('@'))),
  pan: (pan) => pan.slice(5, 9),
  account: (account) => account,
  // the last digit is a check digit
  aadhaar: (aadhaar) => aadhaar.slice(0, -1),
};

/** The effect of an ending of an input: player, behaviour and description. Null: users-service does it. */
export type MagicRow =
  | { readonly [P in Player]: readonly [ending: string, P, Behaviours[P], effect: string] }[Player]
  | readonly [ending: string, null, null, effect: string];

/** A value with another effect than success. */
export interface MagicValue {
  readonly input: MagicInput;
  /** Name of the significant part of the input, for people. */
  readonly what: string;
  readonly value: string;
  readonly effect: string;
  /** A value to try. */
  readonly sample: string;
  /** Who plays it; null: users-service, by its setting OTP_TEST_RULES. */
  readonly provider: Player | null;
  readonly behaviour: Behaviours[Player] | null;
}

/** Whether a behaviour is a shared fault. */
export function isFault(behaviour: string | null | undefined): behaviour is Fault {
  return FAULTS.some((fault) => fault === behaviour);
}
