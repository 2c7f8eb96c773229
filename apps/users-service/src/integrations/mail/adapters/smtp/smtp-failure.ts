import { isError, type ProviderFailure } from '@fd/errors';

/** What a failed send means. `detail` holds codes only: the texts of mail servers name the address. */
export interface SmtpFailure {
  readonly kind: ProviderFailure | 'address-refused';
  readonly detail: string;
}

/** What nodemailer tells of a failure. */
interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly syscall?: string;
}

/** By nodemailer's code. What is in none of these answers a command: see below. */
const KINDS: Readonly<Record<string, ProviderFailure>> = {
  EAUTH: 'misconfigured',
  ENOAUTH: 'misconfigured',
  ETLS: 'misconfigured',
  ECONFIG: 'misconfigured',
  EDNS: 'unavailable',
  ESOCKET: 'unavailable',
  EPROTOCOL: 'malformed',
  // our own patience, or a step of the conversation that took too long
  EABORT: 'timeout',
  ETIMEDOUT: 'timeout',
  // the conversation broke off, and nobody says whether the mail was taken before
  ECONNECTION: 'timeout',
};
/** What the socket was doing when it broke: with these there was a conversation. */
const TALKING = ['read', 'write'];

/** Replies to RCPT that are about the mailbox (RFC 5321, 4.2.3). */
const NO_MAILBOX = [550, 551, 553];
/** Enhanced status of a refusal by policy (RFC 3463): it is about us, whatever the reply code says. */
const BY_POLICY = /^[0-9]{3}[ -]5\.7\./;

/** Reads what nodemailer throws. */
export function smtpFailure(error: unknown): SmtpFailure {
  const told = isError(error) ? (error as SmtpError) : {};
  const { code = '', command = '', response = '', responseCode, syscall = '' } = told;
  const detail = [code, command, responseCode].filter(Boolean).join(' ');
  if (responseCode === 421) return { kind: 'unavailable', detail };
  const kind = code === 'ESOCKET' && TALKING.includes(syscall) ? 'timeout' : KINDS[code];
  if (kind) return { kind, detail };
  if (responseCode === undefined) return { kind: 'malformed', detail: detail || 'unknown' };
  const isAboutMailbox = command === 'RCPT TO' && NO_MAILBOX.includes(responseCode);
  if (isAboutMailbox && !BY_POLICY.test(response)) return { kind: 'address-refused', detail };
  // it has answered, so it is not away: others' mails need not wait for what it thinks of this one
  return { kind: 'refused', detail };
}
