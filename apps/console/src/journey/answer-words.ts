import { type Exchange, payloadOf } from '../calls/exchange.js';
import { inSeconds, readableTime, spoken } from '../shell/words.js';
import { stepTitle } from './plan.js';

const MOST_PARTS = 4;

/** Ids, links, keys and the issuer's terms: of use to programs, and shown in the log. */
const FOR_PROGRAMS =
  /(_id|_url|url|_token|token_type|customer_type|_reference|expected_params|expires_in|attemptsUsed|startTime)$/i;

/** Names whose words say nothing to people. */
const LABELS: Readonly<Record<string, string>> = {
  is_etb: 'Known to the issuer',
  endTime: 'The code is valid until',
  retryAfterSeconds: 'Another can be sent in',
};

/** Returns the message of an enveloped answer, or the status of an answer without a useful message. */
export function messageOf(exchange: Exchange): string {
  const { message } = (exchange.answer?.body ?? {}) as { message?: unknown };
  return typeof message === 'string' && message !== 'SUCCESS' ? message : 'done';
}

/** The fields of an answer as text: "Attempts left: 4. …" */
export function learnedFrom(exchange: Exchange): string {
  const parts = Object.entries(payloadOf(exchange)).flatMap(([name, value]) => {
    const text = FOR_PROGRAMS.test(name) ? undefined : shown(name, value);
    return text === undefined ? [] : [`${LABELS[name] ?? label(name)}: ${text}`];
  });
  return parts.slice(0, MOST_PARTS).join('; ');
}

/** `otpExpiresAt` as "OTP expires at", `is_pan_verified` as "PAN verified". */
const label = (name: string): string =>
  inWords(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').replace(/^is_/, ''));

/** `LINK_CREATED` as "Link created", `AADHAAR_OTP` as "Aadhaar OTP". */
const inWords = (token: string): string =>
  spoken(token).replace(/\b(otp|pan|ekyc|ifsc)\b/gi, (word) =>
    word.toLowerCase() === 'ekyc' ? 'eKYC' : word.toUpperCase(),
  );

/** Whether a value is a token of the API: names and numbers of people may be in capitals too. */
const isWord = (name: string, value: string): boolean =>
  /^((.*_)?(status|method)|gender)$/.test(name) || /^[A-Z]+(_[A-Z]+)+$/.test(value);

function shown(name: string, value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (name.endsWith('Seconds')) return Number(value) > 0 ? inSeconds(Number(value)) : undefined;
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value === '') return undefined;
  if (/^\d{4}-\d{2}-\d{2}T/.test(value)) return readableTime(value);
  if (name === 'next_step') return stepTitle(value);
  return isWord(name, value) ? inWords(value) : value;
}
