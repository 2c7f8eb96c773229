const KINDS = ['letters', 'digits', 'address', 'anything'] as const;

/** Rule that decides whether a value under a personal key is personal. */
export type PersonalValue = (typeof KINDS)[number];

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Last words of a key whose values are personal data. `email_domain` or `pan_status` end in another word. */
const NOUNS: Readonly<Record<PersonalValue, ReadonlySet<string>>> = {
  letters: words(`
    surname firstname lastname middlename fullname fname lname nickname username fathername mothername
  `),
  digits: words(`
    phone mobile msisdn telephone whatsapp contact pan aadhaar aadhar account iban passport dob birth
    birthdate birthday
  `),
  address: words('address'),
  anything: words('otp password passcode cvv'),
};

/** Last words that add nothing to the noun before them: `phone_number`, `pan_entered`. */
const EMPTY_WORDS = words('number no num nr value id input entered text raw given');

/** Roles whose `..._name` is a person's name. A bare `name` counts as personal too. */
const PERSONS = words(`
  first last middle full sur given family legal display maiden father fathers mother mothers spouse
  husband wife holder person customer user applicant investor depositor beneficiary nominee guardian
  contact account pan aadhaar kyc my
`);

/** Words of keys whose long numbers are no account numbers: amounts, durations, times, versions. */
const MEASURES = words(`
  amount amounts investment principal maturity interest rate yield payout paise rupees price balance
  min max range slab tenure tenures days months duration ms time times timestamp ts at epoch date
  dates version build
`);

/** Splits a key into words: `accountHolder.FirstName2` into account, holder, first, name. */
export function wordsOf(key: string): string[] {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

export const isOfMeasure = (key: readonly string[]): boolean => key.some((word) => MEASURES.has(word));

/** Whether a value is personal because of its key. */
export function isPersonalUnder(key: readonly string[], plain: string): boolean {
  const nounWords = [...key];
  while (nounWords.length > 1 && EMPTY_WORDS.has(nounWords.at(-1)!)) nounWords.pop();
  const kind = kindOf(nounWords);
  return kind !== undefined && HAS_PERSONAL[kind](plain);
}

function kindOf(nounWords: readonly string[]): PersonalValue | undefined {
  const noun = nounWords.at(-1) ?? '';
  const before = nounWords.at(-2);
  if (noun === 'name') return before === undefined || PERSONS.has(before) ? 'letters' : undefined;
  if (before === 'birth' && ['date', 'day'].includes(noun)) return 'digits';
  return KINDS.find((kind) => NOUNS[kind].has(noun));
}

/** Number of digits of an identifier that are not personal. */
const SHOWN_DIGITS = 4;

/** Whether a character of AFTER comes behind one of FIRST. In linear time, which one expression over both would not take. */
function follows(text: string, first: RegExp, after: RegExp): boolean {
  const at = text.search(first);
  return at >= 0 && after.test(text.slice(at + 1));
}

/** Rules by kind of key: whether a value under the key is personal. */
export const HAS_PERSONAL: Readonly<Record<PersonalValue, (text: string) => boolean>> = {
  letters: (text) => follows(text, /\p{L}/u, /\p{L}/u),
  // a text with a mask is not personal
  digits: (text) => !/[x*]{4}/i.test(text) && text.replace(/[^0-9]/g, '').length > SHOWN_DIGITS,
  address: (text) => follows(text, /\p{L}/u, /[\s0-9]/) || follows(text, /[0-9]/, /[\s.:]/),
  anything: (text) => /\S/.test(text),
};
