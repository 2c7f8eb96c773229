import { isVerhoeff } from './verhoeff.js';

/** Whether a value is an Aadhaar number: 12 digits, the first 2 to 9, the last a check digit of the others. */
export function isAadhaar(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length === 12 && /^[2-9][0-9]{11}$/.test(value) && isVerhoeff(value)
  );
}
