import { domainToASCII } from 'node:url';
import { isEmail as isWellFormed } from 'class-validator';

/** Whitespace, invisible characters such as line breaks, and the quotes that would allow them. */
const UNSEEN_OR_QUOTED = /[\p{C}\p{Z}"]/u;

/** An address of at most 254 characters, as mail servers accept it, trimmed. */
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
 * The stored form of an address, which gets the mail: the domain in lower case and ASCII; the local part unchanged, since only
 * the host knows whether its case matters.
 */
export function tidyEmail(email: string): string {
  return `${email.slice(0, email.lastIndexOf('@'))}@${domainToASCII(domainOf(email))}`;
}

/**
 * The form for comparing addresses. Hosts may distinguish `Asha@` and `asha@`, but none is known to; dots and plus signs mean
 * different things at different hosts, so they count.
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
