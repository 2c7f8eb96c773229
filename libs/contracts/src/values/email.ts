import { isEmail as isWellFormed } from 'class-validator';

/** An address of at most 254 characters, as mail servers accept it. */
export function isEmailAddress(value: unknown): value is string {
  // a lone surrogate makes the library throw instead of answering
  return (
    typeof value === 'string' && value.length <= 254 && !/\p{Surrogate}/u.test(value) && isWellFormed(value)
  );
}

/** `asha.rao@example.com` as `a***o@example.com`; short names keep their first letter only. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const name = email.slice(0, at);
  return `${name.slice(0, 1)}***${name.length > 3 ? name.slice(-1) : ''}${email.slice(at)}`;
}
