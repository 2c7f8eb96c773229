/** Rupees in paise, the only unit for adding and comparing money. */
export type Paise = bigint;

/**
 * Reads a decimal amount of rupees ("5000", "5000.5") as paise, half-up beyond two places. Undefined when the
 * text is not a plain non-negative decimal of at most 15 whole digits.
 */
export function parseRupees(text: string): Paise | undefined {
  const match = /^([0-9]{1,15})(?:\.([0-9]{0,20}))?$/.exec(text);
  if (!match) return undefined;
  const fraction = (match[2] ?? '').padEnd(3, '0');
  const roundsUp = fraction.charCodeAt(2) >= 53; // '5'
  return BigInt(match[1]!) * 100n + BigInt(fraction.slice(0, 2)) + (roundsUp ? 1n : 0n);
}

/** 500050n as 5000.5, the number of JSON answers. Exact below 9 x 10^13 rupees. */
export const toRupees = (paise: Paise): number => Number(formatRupees(paise));

/** 500050n as "5000.50". */
export function formatRupees(paise: Paise): string {
  const sign = paise < 0n ? '-' : '';
  const digits = (paise < 0n ? -paise : paise).toString().padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const LEADING_NUMBER = /^[ \t]*(?<sign>[+-]?)(?<whole>[0-9]*)(?:\.(?<fraction>[0-9]*))?/;

/** An amount above every product's limit, for numbers with too many digits. */
const TOO_MUCH: Paise = 10n ** 20n;

/**
 * The number at the beginning of a text, in rupees with half-up paise: "10000abc" is 10000, "1e5" is 1. Exact for any number of
 * digits. Undefined when the text does not begin with a number.
 */
export function readAmount(text: unknown): Paise | undefined {
  if (typeof text !== 'string') return undefined;
  const { sign = '', whole = '', fraction = '' } = LEADING_NUMBER.exec(text)?.groups ?? {};
  if (whole === '' && fraction === '') return undefined;
  // three decimals decide about half a paisa
  const paise =
    parseRupees(`${whole.replace(/^0+(?=[0-9])/, '') || '0'}.${fraction.slice(0, 3)}`) ?? TOO_MUCH;
  return sign === '-' ? -paise : paise;
}
