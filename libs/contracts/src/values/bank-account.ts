/** A bank account number: text of 9 to 18 digits, since leading zeros matter. */
export function isAccountNumber(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 18 && /^[0-9]{9,18}$/.test(value);
}

/** `123456789012` as `XXXXXXXX9012`. */
export function maskAccountNumber(account: string): string {
  return `${'X'.repeat(Math.max(0, account.length - 4))}${account.slice(-4)}`;
}

/** A bank branch: 4 letters, a zero, 6 letters or digits. Only the form is checked: branches come and go. */
const IFSC = /^[A-Z]{4}0[A-Z0-9]{6}$/;

export function isIfsc(value: unknown): value is string {
  return typeof value === 'string' && value.length === 11 && IFSC.test(value);
}
