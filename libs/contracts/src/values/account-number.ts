/** A bank account number: text of 9 to 18 digits, since leading zeros matter. */
export function isAccountNumber(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 18 && /^[0-9]{9,18}$/.test(value);
}

/** `123456789012` as `XXXXXXXX9012`. */
export function maskAccountNumber(account: string): string {
  return `${'X'.repeat(Math.max(0, account.length - 4))}${account.slice(-4)}`;
}
