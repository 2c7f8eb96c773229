/** A permanent account number: 5 letters, 4 digits, 1 letter, all upper case. */
const PAN = /^[A-Z]{5}[0-9]{4}[A-Z]$/;

export function isPan(value: unknown): value is string {
  return typeof value === 'string' && value.length === 10 && PAN.test(value);
}

/** `ABCDE1234F` as `XXXXXX234F`. */
export function maskPan(pan: string): string {
  return `XXXXXX${pan.slice(-4)}`;
}
