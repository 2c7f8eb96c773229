import type { PersonalValue } from './personal-keys.table.js';

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
 * most once: what a client sends must not decide how long that takes.
 */
export const HAS_PERSONAL: Readonly<Record<PersonalValue, (text: Signs) => boolean>> = {
  letters: hasTwoLetters,
  digits: hasManyDigits,
  address: readsLikeAddress,
  anything: hasAnything,
};

function hasTwoLetters(text: Signs): boolean {
  let letters = 0;
  for (const sign of text) if (isLetter(sign) && ++letters === 2) return true;
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

function hasAnything(text: Signs): boolean {
  for (const sign of text) if (!isSpace(sign)) return true;
  return false;
}
