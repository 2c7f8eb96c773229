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

/** 500050n as "5000.50". */
export function formatRupees(paise: Paise): string {
  const sign = paise < 0n ? '-' : '';
  const digits = (paise < 0n ? -paise : paise).toString().padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
