/** A bank branch: 4 letters, a zero, 6 letters or digits. Only the form is checked: branches come and go. */
const IFSC = /^[A-Z]{4}0[A-Z0-9]{6}$/;

export function isIfsc(value: unknown): value is string {
  return typeof value === 'string' && value.length === 11 && IFSC.test(value);
}
