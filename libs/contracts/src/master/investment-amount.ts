import { type Paise, parseRupees } from '../values/money.js';

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
