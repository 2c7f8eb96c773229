/** An Indian mobile number in the interface's form: 12 digits with the country prefix 91, without a plus sign. */
const PHONE = /^91[0-9]{10}$/;

/** Whether a value is a phone in the interface's form. Any tenth digit is accepted: the contract does not limit it. */
export function isPhone(value: unknown): value is string {
  return typeof value === 'string' && value.length === 12 && PHONE.test(value);
}

/** Whether a value is a national number: ten digits without the prefix. */
export function isNationalNumber(value: unknown): boolean {
  return typeof value === 'string' && value.length === 10 && /^[0-9]{10}$/.test(value);
}

/** `919812345678` as `91XXXXXX5678`. */
export function maskPhone(phone: string): string {
  return `${phone.slice(0, 2)}${'X'.repeat(Math.max(0, phone.length - 6))}${phone.slice(-4)}`;
}
