import { isAadhaar } from '@fd/contracts';
import {
  type Behaviours,
  MAGIC_INPUTS,
  MAGIC_PART,
  type MagicInput,
  type MagicValue,
  type MagicRow,
  type Player,
} from './magic-value.js';

/** The effect of each ending of an input, and its player; null: users-service, by its setting OTP_TEST_RULES. */
const ROWS: Readonly<Record<MagicInput, readonly MagicRow[]>> = {
  phone: [
    ['0408', null, null, 'The code is delivered, and refused as expired.'],
    ['0503', 'sms', 'unavailable', 'Both SMS providers are down (503): no code can be sent.'],
    ['0504', 'sms', 'silent', 'Both SMS providers hang: they take the call and never answer it.'],
    ['0506', 'sms', 'xml', 'Both SMS providers answer with XML, and deliver nothing.'],
    ['0508', 'sms', 'slow', 'Both SMS providers deliver the message, and answer after 8 seconds.'],
  ],
  email: [
    ['0408', null, null, 'The code is delivered, and refused as expired.'],
    ['0503', 'mail', 'unavailable', 'The mail server cannot take mail for the address at the moment (451).'],
    [
      '0504',
      'mail',
      'silent',
      'The mail server hangs: it never answers whether it takes mail for the address.',
    ],
    ['0505', 'mail', 'rejected', 'The mail server refuses the address permanently (550).'],
  ],
  pan: [
    ['0404', 'pan', 'not_found', 'The registry does not know the PAN.'],
    ['0410', 'pan', 'invalid', 'The registry says that the PAN is not valid.'],
    ['0406', 'pan', 'birth_date_differs', 'The registry has another date of birth.'],
    ['0401', 'pan', 'aadhaar_not_linked', 'No Aadhaar is linked to the PAN.'],
    ['0202', 'pan', 'slow', 'The PAN registry takes 5 seconds to answer each call.'],
    ['0503', 'pan', 'unavailable', 'The PAN registry is down (503).'],
    ['0504', 'pan', 'silent', 'The PAN registry hangs: it takes the call and never answers it.'],
    ['0500', 'pan', 'broken', 'The PAN registry fails (500).'],
    ['0502', 'pan', 'garbled', 'The PAN registry answers with a web page.'],
    ['0506', 'pan', 'xml', 'The PAN registry answers with XML.'],
    ['0508', 'pan', 'very_slow', 'The PAN registry takes 8 seconds to answer each call.'],
    ['0402', 'pan', 'no_money', 'Our wallet at the PAN registry is empty.'],
    ['0208', 'pan', 'error_inside', 'The PAN registry answers 200 with an error inside.'],
    [
      '0706',
      'locker',
      'xml',
      'Cashfree or Setu answers the first read of an Aadhaar with XML, at a locker or KYC link; the PAN is verified.',
    ],
    [
      '0708',
      'locker',
      'slow',
      'Cashfree or Setu answers the first read of an Aadhaar after 8 seconds, at a locker or KYC link; the PAN is verified.',
    ],
    ['0603', 'issuer', 'unavailable', 'The customer search of an issuer is down (503); the PAN is verified.'],
    ['0604', 'issuer', 'silent', 'The customer search of an issuer hangs; the PAN is verified.'],
    ['0605', 'issuer', 'broken', 'The customer search of an issuer fails (500); the PAN is verified.'],
    [
      '0602',
      'issuer',
      'garbled',
      'The customer search of an issuer answers with a web page; the PAN is verified.',
    ],
    ['0200', 'issuer:vindhya', 'customer_kyc_complete', 'Vindhya knows the customer, whose KYC is complete.'],
    ['0201', 'issuer:vindhya', 'customer_kyc_due', 'Vindhya knows the customer, whose KYC is due.'],
  ],
  account: [
    ['1055', 'bank', 'other_name', 'The bank knows the account under another name.'],
    ['0423', 'bank', 'frozen', 'The account is frozen.'],
    ['0424', 'bank', 'closed', 'The account is closed.'],
    ['0404', 'bank', 'no_account', 'The bank has no such account.'],
    ['0407', 'bank', 'no_name', 'The account is valid, but its bank does not tell the name of its holder.'],
    ['0409', 'bank', 'fraud', 'The provider has blocked the account as a suspected fraud.'],
    ['0400', 'bank', 'refused_at_start', 'The provider refuses the account at once, and sends no penny.'],
    [
      '0410',
      'bank',
      'no_result',
      'Cashfree or Setu ends the verification without a result; our own format has no such answer.',
    ],
    ['0202', 'bank', 'pending', 'The bank takes 5 seconds to verify the account.'],
    ['0503', 'bank', 'unavailable', 'The bank verification is down (503).'],
    ['0504', 'bank', 'silent', 'The bank verification hangs: it takes the call and never answers it.'],
    ['0500', 'bank', 'broken', 'The bank verification fails (500).'],
    ['0502', 'bank', 'garbled', 'The bank verification answers with a web page.'],
    ['0506', 'bank', 'xml', 'The bank verification answers with XML.'],
    ['0422', 'bank', 'offline', 'The bank is down for 5 seconds from the first call.'],
    ['0402', 'bank', 'no_money', 'Our wallet at the provider of bank verifications is empty.'],
    ['0200', 'bank', 'error_inside', 'The bank verification answers 200 with an error inside.'],
    [
      '0505',
      'bank',
      'silent_after_payment',
      'The bank verification sends the penny, and never answers the call.',
    ],
    ['0508', 'bank', 'slow', 'The bank verification sends the penny, and answers the call after 8 seconds.'],
    [
      '1454',
      'issuer',
      'invalid_beneficiary',
      'The bank verifies the account, the issuer calls it an invalid beneficiary.',
    ],
    ['2403', 'issuer', 'unavailable', 'The bank verifies the account, the issuer is down (503).'],
    ['2404', 'issuer', 'silent', 'The bank verifies the account, the issuer hangs.'],
    ['2405', 'issuer', 'broken', 'The bank verifies the account, the issuer fails (500).'],
    ['2402', 'issuer', 'garbled', 'The bank verifies the account, the issuer answers with a web page.'],
  ],
  aadhaar: [
    ['0422', 'aadhaar', 'no_mobile', 'No mobile is linked to the Aadhaar: no code can be sent.'],
    ['0427', 'aadhaar', 'other_person', 'The Aadhaar belongs to another person: the name differs.'],
    ['0408', 'aadhaar', 'dead_code', 'The code is delivered, and refused as expired.'],
    ['0503', 'aadhaar', 'unavailable', 'The Aadhaar service is down (503).'],
    ['0504', 'aadhaar', 'silent', 'The Aadhaar service hangs: it takes the call and never answers it.'],
  ],
};

/** The name of the significant part of each input, and a sample with a given ending. */
const INPUTS: Readonly<Record<MagicInput, { what: string; sample: (ending: string) => string }>> = {
  phone: { what: 'Phone, last four digits', sample: (ending) => `91987654${ending}` },
  email: { what: 'Email, end of the part before the @', sample: (ending) => `asha.${ending}@example.com` },
  pan: { what: 'PAN, its four digits', sample: (ending) => `ABCPR${ending}K` },
  account: { what: 'Bank account, last four digits', sample: (ending) => `50100012${ending}` },
  aadhaar: {
    what: 'Aadhaar, the four digits before the last',
    sample: (ending) => withCheckDigit(`2345678${ending}`),
  },
};

/** All magic values, for the sandbox's behaviour and the console. Other values succeed. */
export const MAGIC_VALUES: readonly MagicValue[] = [
  {
    input: 'phone',
    what: 'Phone',
    value: '919999900000 to 919999900099',
    effect: 'The code is always 123456.',
    sample: '919999900001',
    provider: null,
    behaviour: null,
  },
  ...MAGIC_INPUTS.flatMap((input) =>
    ROWS[input].map(([value, provider, behaviour, effect]) => {
      const { what, sample } = INPUTS[input];
      return { input, what, value, effect, sample: sample(value), provider, behaviour };
    }),
  ),
];

/** Returns the behaviour of a provider or issuer for an input; undefined for success. */
export function behaviourOf<P extends Player>(
  player: P,
  input: MagicInput,
  value: string,
): Behaviours[P] | undefined {
  const part = MAGIC_PART[input](value);
  const row = ROWS[input].find(([ending, provider]) => provider === player && part.endsWith(ending));
  // the row was found by its player, which the compiler cannot know
  return row?.[2] as Behaviours[P] | undefined;
}

/** Whether a value is magic, here or in users-service. */
export function isMagic(input: MagicInput, value: string): boolean {
  const part = MAGIC_PART[input](value);
  return ROWS[input].some(([ending]) => part.endsWith(ending));
}

/** Adds the check digit to the first eleven digits of an Aadhaar number. */
export function withCheckDigit(digits: string): string {
  return digits + '0123456789'.split('').find((digit) => isAadhaar(digits + digit))!;
}
