import {
  type BehavioursOfParty,
  inputOf,
  MAGIC_PART,
  type MagicInput,
  type MagicValue,
  type Party,
} from './magic-value.js';

/** The one list of magic values: the sandbox behaves by it, and its console shows it. What is not listed succeeds. */
export const MAGIC_VALUES: readonly MagicValue[] = [
  {
    what: 'Phone',
    value: '919999900000 to 919999900099',
    effect: 'The code is always 123456.',
    sample: '919999900001',
    input: 'phone',
  },
  {
    what: 'Phone, last four digits',
    value: '0408',
    effect: 'The code is dead on arrival: it is delivered, and refused as expired.',
    sample: '919876540408',
    input: 'phone',
  },
  {
    what: 'Phone, last four digits',
    value: '0503',
    effect: 'Both SMS providers are down (503): no code can be sent.',
    sample: '919876540503',
    plays: { party: 'sms', input: 'phone', ending: '0503', behaviour: 'unavailable' },
  },
  {
    what: 'Phone, last four digits',
    value: '0504',
    effect: 'Both SMS providers hang: they take the call and never answer it.',
    sample: '919876540504',
    plays: { party: 'sms', input: 'phone', ending: '0504', behaviour: 'silent' },
  },
  {
    what: 'Email, end of the part before the @',
    value: '0408',
    effect: 'The code is dead on arrival: it is delivered, and refused as expired.',
    sample: 'asha.0408@example.com',
    input: 'email',
  },
  {
    what: 'Email, end of the part before the @',
    value: '0503',
    effect: 'The mail server cannot take mail for the address at the moment (451).',
    sample: 'asha.0503@example.com',
    plays: { party: 'mail', input: 'email', ending: '0503', behaviour: 'unavailable' },
  },
  {
    what: 'Email, end of the part before the @',
    value: '0504',
    effect: 'The mail server hangs: it never answers whether it takes mail for the address.',
    sample: 'asha.0504@example.com',
    plays: { party: 'mail', input: 'email', ending: '0504', behaviour: 'silent' },
  },
  {
    what: 'Email, end of the part before the @',
    value: '0505',
    effect: 'The mail server refuses the address for good (550).',
    sample: 'asha.0505@example.com',
    plays: { party: 'mail', input: 'email', ending: '0505', behaviour: 'rejected' },
  },
  {
    what: 'PAN, its four digits',
    value: '0404',
    effect: 'The registry does not know the PAN.',
    sample: 'ABCPR0404K',
    plays: { party: 'pan', input: 'pan', ending: '0404', behaviour: 'not_found' },
  },
  {
    what: 'PAN, its four digits',
    value: '0410',
    effect: 'The registry says that the PAN is not valid.',
    sample: 'ABCPR0410K',
    plays: { party: 'pan', input: 'pan', ending: '0410', behaviour: 'invalid' },
  },
  {
    what: 'PAN, its four digits',
    value: '0406',
    effect: 'The registry has another date of birth.',
    sample: 'ABCPR0406K',
    plays: { party: 'pan', input: 'pan', ending: '0406', behaviour: 'birth_date_differs' },
  },
  {
    what: 'PAN, its four digits',
    value: '0401',
    effect: 'No Aadhaar is linked to the PAN.',
    sample: 'ABCPR0401K',
    plays: { party: 'pan', input: 'pan', ending: '0401', behaviour: 'aadhaar_not_linked' },
  },
  {
    what: 'PAN, its four digits',
    value: '0503',
    effect: 'The PAN registry is down (503).',
    sample: 'ABCPR0503K',
    plays: { party: 'pan', input: 'pan', ending: '0503', behaviour: 'unavailable' },
  },
  {
    what: 'PAN, its four digits',
    value: '0504',
    effect: 'The PAN registry hangs: it takes the call and never answers it.',
    sample: 'ABCPR0504K',
    plays: { party: 'pan', input: 'pan', ending: '0504', behaviour: 'silent' },
  },
  {
    what: 'PAN, its four digits',
    value: '0500',
    effect: 'The PAN registry fails (500).',
    sample: 'ABCPR0500K',
    plays: { party: 'pan', input: 'pan', ending: '0500', behaviour: 'broken' },
  },
  {
    what: 'PAN, its four digits',
    value: '0502',
    effect: 'The PAN registry answers with a web page.',
    sample: 'ABCPR0502K',
    plays: { party: 'pan', input: 'pan', ending: '0502', behaviour: 'garbled' },
  },
  {
    what: 'PAN, its four digits',
    value: '0603',
    effect: 'The customer search of an issuer is down (503); the PAN is verified.',
    sample: 'ABCPR0603K',
    plays: { party: 'issuer', input: 'pan', ending: '0603', behaviour: 'unavailable' },
  },
  {
    what: 'PAN, its four digits',
    value: '0604',
    effect: 'The customer search of an issuer hangs; the PAN is verified.',
    sample: 'ABCPR0604K',
    plays: { party: 'issuer', input: 'pan', ending: '0604', behaviour: 'silent' },
  },
  {
    what: 'PAN, its four digits',
    value: '0605',
    effect: 'The customer search of an issuer fails (500); the PAN is verified.',
    sample: 'ABCPR0605K',
    plays: { party: 'issuer', input: 'pan', ending: '0605', behaviour: 'broken' },
  },
  {
    what: 'PAN, its four digits',
    value: '0602',
    effect: 'The customer search of an issuer answers with a web page; the PAN is verified.',
    sample: 'ABCPR0602K',
    plays: { party: 'issuer', input: 'pan', ending: '0602', behaviour: 'garbled' },
  },
  {
    what: 'PAN, its four digits',
    value: '0200',
    effect: 'Vindhya knows the customer, whose KYC is complete.',
    sample: 'ABCPR0200K',
    plays: { party: 'issuer:vindhya', input: 'pan', ending: '0200', behaviour: 'customer_kyc_complete' },
  },
  {
    what: 'PAN, its four digits',
    value: '0201',
    effect: 'Vindhya knows the customer, whose KYC is due.',
    sample: 'ABCPR0201K',
    plays: { party: 'issuer:vindhya', input: 'pan', ending: '0201', behaviour: 'customer_kyc_due' },
  },
  {
    what: 'Bank account, last four digits',
    value: '1055',
    effect: 'The bank knows the account under another name.',
    sample: '501000121055',
    plays: { party: 'bank', input: 'account', ending: '1055', behaviour: 'other_name' },
  },
  {
    what: 'Bank account, last four digits',
    value: '0423',
    effect: 'The account is frozen.',
    sample: '501000120423',
    plays: { party: 'bank', input: 'account', ending: '0423', behaviour: 'frozen' },
  },
  {
    what: 'Bank account, last four digits',
    value: '0424',
    effect: 'The account is closed.',
    sample: '501000120424',
    plays: { party: 'bank', input: 'account', ending: '0424', behaviour: 'closed' },
  },
  {
    what: 'Bank account, last four digits',
    value: '0202',
    effect: 'The bank takes 5 seconds to verify the account.',
    sample: '501000120202',
    plays: { party: 'bank', input: 'account', ending: '0202', behaviour: 'pending' },
  },
  {
    what: 'Bank account, last four digits',
    value: '0503',
    effect: 'The bank verification is down (503).',
    sample: '501000120503',
    plays: { party: 'bank', input: 'account', ending: '0503', behaviour: 'unavailable' },
  },
  {
    what: 'Bank account, last four digits',
    value: '0504',
    effect: 'The bank verification hangs: it takes the call and never answers it.',
    sample: '501000120504',
    plays: { party: 'bank', input: 'account', ending: '0504', behaviour: 'silent' },
  },
  {
    what: 'Bank account, last four digits',
    value: '0500',
    effect: 'The bank verification fails (500).',
    sample: '501000120500',
    plays: { party: 'bank', input: 'account', ending: '0500', behaviour: 'broken' },
  },
  {
    what: 'Bank account, last four digits',
    value: '0502',
    effect: 'The bank verification answers with a web page.',
    sample: '501000120502',
    plays: { party: 'bank', input: 'account', ending: '0502', behaviour: 'garbled' },
  },
  {
    what: 'Bank account, last four digits',
    value: '1454',
    effect: 'The bank verifies the account, the issuer calls it an invalid beneficiary.',
    sample: '501000121454',
    plays: { party: 'issuer', input: 'account', ending: '1454', behaviour: 'invalid_beneficiary' },
  },
  {
    what: 'Bank account, last four digits',
    value: '2403',
    effect: 'The bank verifies the account, the issuer is down (503).',
    sample: '501000122403',
    plays: { party: 'issuer', input: 'account', ending: '2403', behaviour: 'unavailable' },
  },
  {
    what: 'Bank account, last four digits',
    value: '2404',
    effect: 'The bank verifies the account, the issuer hangs.',
    sample: '501000122404',
    plays: { party: 'issuer', input: 'account', ending: '2404', behaviour: 'silent' },
  },
  {
    what: 'Bank account, last four digits',
    value: '2405',
    effect: 'The bank verifies the account, the issuer fails (500).',
    sample: '501000122405',
    plays: { party: 'issuer', input: 'account', ending: '2405', behaviour: 'broken' },
  },
  {
    what: 'Bank account, last four digits',
    value: '2402',
    effect: 'The bank verifies the account, the issuer answers with a web page.',
    sample: '501000122402',
    plays: { party: 'issuer', input: 'account', ending: '2402', behaviour: 'garbled' },
  },
  {
    what: 'Aadhaar, the four digits before the last',
    value: '0422',
    effect: 'No mobile is linked to the Aadhaar: no code can be sent.',
    sample: '234567804229',
    plays: { party: 'aadhaar', input: 'aadhaar', ending: '0422', behaviour: 'no_mobile' },
  },
  {
    what: 'Aadhaar, the four digits before the last',
    value: '0427',
    effect: 'The Aadhaar belongs to another person: the name differs.',
    sample: '234567804272',
    plays: { party: 'aadhaar', input: 'aadhaar', ending: '0427', behaviour: 'other_person' },
  },
  {
    what: 'Aadhaar, the four digits before the last',
    value: '0408',
    effect: 'The code is dead on arrival: it is delivered, and refused as expired.',
    sample: '234567804083',
    plays: { party: 'aadhaar', input: 'aadhaar', ending: '0408', behaviour: 'dead_code' },
  },
  {
    what: 'Aadhaar, the four digits before the last',
    value: '0503',
    effect: 'The Aadhaar service is down (503).',
    sample: '234567805032',
    plays: { party: 'aadhaar', input: 'aadhaar', ending: '0503', behaviour: 'unavailable' },
  },
  {
    what: 'Aadhaar, the four digits before the last',
    value: '0504',
    effect: 'The Aadhaar service hangs: it takes the call and never answers it.',
    sample: '234567805045',
    plays: { party: 'aadhaar', input: 'aadhaar', ending: '0504', behaviour: 'silent' },
  },
];

/** What the table says that a party does about an input; undefined for a value that simply succeeds. */
export function behaviourOf<P extends Party>(
  party: P,
  input: MagicInput,
  value: string,
): BehavioursOfParty[P] | undefined {
  const part = MAGIC_PART[input](value);
  const row = MAGIC_VALUES.find(
    ({ plays }) => plays?.party === party && plays.input === input && part.endsWith(plays.ending),
  );
  // the row was found by its party, which the compiler cannot follow
  return row?.plays?.behaviour as BehavioursOfParty[P] | undefined;
}

/** Whether a value does anything but simply succeed, be it here or in users-service. */
export function isMagic(input: MagicInput, value: string): boolean {
  const part = MAGIC_PART[input](value);
  return MAGIC_VALUES.some((row) => inputOf(row) === input && part.endsWith(row.plays?.ending ?? row.value));
}
