import { isOfMeasure, isPersonalUnder, wordsOf } from './personal-keys.js';

/** Characters without a visible shape of their own: a zero-width space, a soft hyphen, an accent over a digit. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{M}]/gu;
/** Limit for nested percent encoding. */
const MAX_DECODINGS = 3;

export type PropertyValue = string | number | boolean | null;

/** Maximum length of the text of a property, as received and also after its normalization. */
const MAX_TEXT_LENGTH = 500;

/**
 * Whether a property may contain personal data: a phone, PAN, Aadhaar, account number or email address in its key or
 * value, or a value under a key that names one. Ambiguous properties count as personal data; amounts, tenures, dates,
 * UUIDs and versions are not ambiguous.
 */
export function looksPersonal(key: string, value: PropertyValue): boolean {
  const plainKey = plainText(key);
  if (plainKey === undefined) return true;
  const words = wordsOf(key);
  const isMeasure = isOfMeasure(words);
  if (containsIdentifier(plainKey, isMeasure)) return true;
  if (value === null || typeof value === 'boolean') return false;
  // decimals of a number are not a phone or account number
  const text = plainText(String(typeof value === 'number' ? Math.trunc(value) : value));
  return text === undefined || containsIdentifier(text, isMeasure) || isPersonalUnder(words, text);
}

/**
 * Normalizes a text: decodes percent-encoding, removes invisible characters, unifies the forms of letters, and writes
 * the digits of every script as 0 to 9. One character may expand to 18, so a text that grows beyond the limit is not
 * searched.
 * @returns undefined for such a text
 */
export function plainText(text: string): string | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const plain = withPlainDigits(decoded(text).replace(UNSEEN, '').normalize('NFKC'));
  return plain.length > MAX_TEXT_LENGTH ? undefined : plain;
}

// --- patterns in a text

const MAIL_OR_PAYMENT_ADDRESS = /[^\s@]@(?:\p{L}|[^\s@]+\.\p{L}{2,})/u;
const PAN = /(?<![a-z0-9])[a-z]{5}[0-9]{4}[a-z](?![a-z0-9])/i;
const PAN_IN_PARTS =
  /(?<![A-Z0-9])[A-Z]{5}[ -][0-9]{4}[ -]?[A-Z](?![A-Z0-9])|(?<![A-Za-z0-9])[A-Za-z]{5}[._/-][0-9]{4}[._/-]?[A-Za-z](?![A-Za-z0-9])/;

const UUID = /(?<![0-9a-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])/gi;
const HEX_DIGEST = /(?<![0-9a-z])(?=[0-9]*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})(?![0-9a-z])/gi;
const ISO_TIME =
  /(?<![0-9])[12][0-9]{3}-[01][0-9]-[0-3][0-9](?:[T ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?(?![0-9])/g;
/** 10,00,000.50 or 1,000,000. */
const AMOUNT = /(?<![0-9,])[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]{1,4})?(?![0-9,])/g;
/** 120.0.6099.129, or a number with decimals. Groups like those of a phone are checked below. */
const DOTTED = /(?<![0-9.])[0-9]{1,8}(?:\.[0-9]{1,8}){1,3}(?![0-9.])/g;
const DOTTED_PHONE =
  /^(?:[6-9][0-9]{2}\.[0-9]{3}\.[0-9]{4}|[6-9][0-9]{4}\.[0-9]{5}|[2-9][0-9]{3}(?:\.[0-9]{4}){2})$/;

/** Digits with at most five common separators between one and the next. */
const DIGITS = /[0-9](?:[\s\-–—._/()+,:;#|*]{0,5}[0-9])*/g;
const LONG = 9;

/** Whether a normalized text contains an identifier. Takes linear time for any text. */
function containsIdentifier(plain: string, isMeasure: boolean): boolean {
  if (MAIL_OR_PAYMENT_ADDRESS.test(plain) || PAN.test(plain) || PAN_IN_PARTS.test(plain)) return true;
  const rest = plain
    .replace(UUID, '~')
    .replace(HEX_DIGEST, '~')
    .replace(ISO_TIME, '~')
    .replace(AMOUNT, (amount) => (!isMeasure && isPhoneOrAadhaar(wholeDigits(amount)) ? amount : '~'))
    .replace(DOTTED, (number) => (isDottedPhone(number) ? number : '~'));
  return (rest.match(DIGITS) ?? []).some((run) => isIdentifier(run, isMeasure));
}

const wholeDigits = (amount: string): string => amount.replace(/\..*/, '').replaceAll(',', '');

const isDottedPhone = (number: string): boolean =>
  DOTTED_PHONE.test(number) ||
  (/^[0-9]+\.[0-9]{3,}$/.test(number) && isPhoneOrAadhaar(number.replace('.', '')));

function isIdentifier(run: string, isMeasure: boolean): boolean {
  const groups = run.match(/[0-9]+/g) ?? [];
  const digits = groups.join('');
  if (digits.length < LONG || isRangeOfAmounts(groups)) return false;
  return !isMeasure || isPhoneOrAadhaar(digits);
}

/** "5000 - 10000000" */
function isRangeOfAmounts(groups: readonly string[]): boolean {
  return groups.length > 1 && groups.every((group) => Number(group) > 0 && Number(group) % 100 === 0);
}

const isPhoneOrAadhaar = (digits: string): boolean =>
  /^(?:(?:0|91|0091)?[6-9][0-9]{9}|[2-9][0-9]{11})$/.test(digits);

/** URLs contain some characters as %40, and URLs within URLs as %2540. */
function decoded(text: string, left = MAX_DECODINGS): string {
  try {
    const plain = decodeURIComponent(text);
    return plain === text || left === 1 ? plain : decoded(plain, left - 1);
  } catch {
    return text;
  }
}

/** Digits of every script as 0 to 9. */
function withPlainDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0)!;
    const low = code & 0xf;
    // the ten digits of each script are consecutive, and start at a multiple of 16 or 6 after one
    const startsAtMultiple = /\p{Nd}/u.test(String.fromCodePoint(code - low));
    return String(startsAtMultiple ? low : low - 6);
  });
}
