const KINDS = ['letters', 'digits', 'address', 'anything'] as const;

/** When a value under a personal key is personal itself. */
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

/** Words that only say that the noun before them has a value: `phone_number`, `pan_entered`, `name2`. */
const EMPTY_WORDS = words('number no num nr value id input entered text raw given');

/** Roles whose `..._name` is a person's name. A bare `name` counts as personal too. */
const PERSONS = words(`
  first last middle full sur given family legal display maiden father fathers mother mothers spouse
  husband wife holder person customer user applicant investor depositor beneficiary nominee guardian
  contact account pan aadhaar kyc my
`);

/** Words of keys whose long numbers are no account numbers: money, spans of time, points in time. */
const MEASURES = words(`
  amount amounts investment principal maturity interest rate yield payout paise rupees price balance
  min max range slab tenure tenures days months duration ms time times timestamp ts at epoch date
  dates version build
`);

/** `accountHolder.FirstName2` as account, holder, first, name. */
export function wordsOf(key: string): string[] {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

/** Whether numbers under the key are measures. */
export const isOfMeasure = (key: readonly string[]): boolean => key.some((word) => MEASURES.has(word));

/** Whether a value is personal because of its key. */
export function isPersonalUnder(key: readonly string[], plain: string): boolean {
  const said = [...key];
  while (said.length > 1 && EMPTY_WORDS.has(said.at(-1)!)) said.pop();
  const kind = kindOf(said);
  return kind !== undefined && HAS_PERSONAL[kind](plain);
}

function kindOf(said: readonly string[]): PersonalValue | undefined {
  const noun = said.at(-1) ?? '';
  const before = said.at(-2);
  if (noun === 'name') return before === undefined || PERSONS.has(before) ? 'letters' : undefined;
  if (before === 'birth' && ['date', 'day'].includes(noun)) return 'digits';
  return KINDS.find((kind) => NOUNS[kind].has(noun));
}

/** A text, one sign after the other. */
type Signs = Iterable<string>;

/** Digits that may be shown. */
const SHOWN_DIGITS = 4;
/** Signs in a row that make a mask. */
const MASK = 4;

const isLetter = (sign: string): boolean => /\p{L}/u.test(sign);
const isDigit = (sign: string): boolean => /[0-9]/.test(sign);
const isSpace = (sign: string): boolean => /\s/u.test(sign);

/**
 * Whether a value under a personal key is personal, by the kind of the key. Each looks at every sign of the text at
 * most once, so that the input does not determine the time.
 */
export const HAS_PERSONAL: Readonly<Record<PersonalValue, (text: Signs) => boolean>> = {
  letters: (text) => has(2, isLetter, text),
  digits: hasManyDigits,
  address: readsLikeAddress,
  anything: (text) => has(1, (sign) => !isSpace(sign), text),
};

function has(count: number, isCounted: (sign: string) => boolean, text: Signs): boolean {
  let found = 0;
  for (const sign of text) if (isCounted(sign) && ++found === count) return true;
  return false;
}

/** Four digits, or any number of them in a mask, may be shown. */
function hasManyDigits(text: Signs): boolean {
  let digits = 0;
  let masked = 0;
  for (const sign of text) {
    if (isDigit(sign)) digits++;
    masked = /[x*]/i.test(sign) ? masked + 1 : 0;
    if (masked === MASK) return false;
  }
  return digits > SHOWN_DIGITS;
}

/** A letter with a space or a digit somewhere after it, or a digit with a space, a dot or a colon after it. */
function readsLikeAddress(text: Signs): boolean {
  let hasLetter = false;
  let hasDigit = false;
  for (const sign of text) {
    if (hasLetter && (isSpace(sign) || isDigit(sign))) return true;
    if (hasDigit && (isSpace(sign) || sign === '.' || sign === ':')) return true;
    hasLetter ||= isLetter(sign);
    hasDigit ||= isDigit(sign);
  }
  return false;
}
