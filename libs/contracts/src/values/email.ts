import { domainToASCII } from 'node:url';
import { isEmail as isWellFormed } from 'class-validator';

const MAX_LENGTH = 254;

/** Invisible characters such as line breaks, and the quotes that would allow them. */
const UNSEEN_OR_QUOTED = /[\p{C}\p{Zl}\p{Zp}"]/u;
const BLANK = /\p{Zs}/u;

/** An address of at most 254 characters, as mail servers accept it. Blanks around it are ignored: keyboards append one. */
export function isEmailAddress(value: unknown): value is string {
  // a lone surrogate makes the library throw instead of answering
  if (typeof value !== 'string' || value.length > 2 * MAX_LENGTH || UNSEEN_OR_QUOTED.test(value))
    return false;
  const address = value.trim();
  return (
    address.length <= MAX_LENGTH &&
    !BLANK.test(address) &&
    isWellFormed(address) &&
    domainToASCII(domainOf(address)) !== ''
  );
}

/**
 * The stored form of an address, which gets the mail: without blanks around it, the domain in lower case and ASCII; the local part
 * unchanged, since only the host knows whether its case matters.
 */
export function tidyEmail(email: string): string {
  const address = email.trim();
  return `${address.slice(0, address.lastIndexOf('@'))}@${domainToASCII(domainOf(address))}`;
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
