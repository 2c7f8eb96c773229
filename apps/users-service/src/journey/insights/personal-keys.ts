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

type Characters = Iterable<string>;

/** Number of digits of an identifier that are not personal. */
const SHOWN_DIGITS = 4;
/** Number of consecutive characters that make a mask. */
const MASK = 4;

const isLetter = (character: string): boolean => /\p{L}/u.test(character);
const isDigit = (character: string): boolean => /[0-9]/.test(character);
const isSpace = (character: string): boolean => /\s/u.test(character);

/**
 * Rules by kind of key: whether a value under the key is personal. Each reads every character at most once, so its time
 * is linear.
 */
export const HAS_PERSONAL: Readonly<Record<PersonalValue, (text: Characters) => boolean>> = {
  letters: (text) => has(2, isLetter, text),
  digits: hasManyDigits,
  address: readsLikeAddress,
  anything: (text) => has(1, (character) => !isSpace(character), text),
};

function has(count: number, isCounted: (character: string) => boolean, text: Characters): boolean {
  let found = 0;
  for (const character of text) if (isCounted(character) && ++found === count) return true;
  return false;
}

/** More than four digits; a text with a mask is not personal. */
function hasManyDigits(text: Characters): boolean {
  let digits = 0;
  let masked = 0;
  for (const character of text) {
    if (isDigit(character)) digits++;
    masked = /[x*]/i.test(character) ? masked + 1 : 0;
    if (masked === MASK) return false;
  }
  return digits > SHOWN_DIGITS;
}

/** A letter with a space or a digit somewhere after it, or a digit with a space, a dot or a colon after it. */
function readsLikeAddress(text: Characters): boolean {
  let hasLetter = false;
  let hasDigit = false;
  for (const character of text) {
    if (hasLetter && (isSpace(character) || isDigit(character))) return true;
    if (hasDigit && (isSpace(character) || character === '.' || character === ':')) return true;
    hasLetter ||= isLetter(character);
    hasDigit ||= isDigit(character);
  }
  return false;
}
