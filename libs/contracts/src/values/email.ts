import { domainToASCII } from 'node:url';
import { isEmail as isWellFormed } from 'class-validator';

/** Blanks of any kind, what nobody can see, such as line breaks, and the quotes that would allow them. */
const UNSEEN_OR_QUOTED = /[\p{C}\p{Z}"]/u;

/** An address of at most 254 characters, as mail servers accept it; without blanks around it. */
export function isEmailAddress(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= 254 &&
    // a lone surrogate makes the library throw instead of answering
    !UNSEEN_OR_QUOTED.test(value) &&
    isWellFormed(value) &&
    domainToASCII(domainOf(value)) !== ''
  );
}

/**
 * An address as it is kept and written to: the domain in lower case and in ASCII, since it is the same however it is
 * written; the part before the @ as the person typed it, since only the host knows what it means.
 */
export function tidyEmail(email: string): string {
  return `${email.slice(0, email.lastIndexOf('@'))}@${domainToASCII(domainOf(email))}`;
}

/**
 * The form in which two addresses are compared. Hosts may tell `Asha@` from `asha@`, but none is known that does;
 * dots and what follows a plus sign mean something else at every host, so they count.
 */
export function emailKey(email: string): string {
  return tidyEmail(email).normalize('NFC').toLowerCase();
}

/** `asha.rao@example.com` as `a***o@example.com`; short names keep their first letter only. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const name = email.slice(0, at);
  return `${name.slice(0, 1)}***${name.length > 3 ? name.slice(-1) : ''}${email.slice(at)}`;
}

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);
