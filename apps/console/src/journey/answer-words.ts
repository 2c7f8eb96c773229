import { type Exchange, payloadOf } from '../calls/exchange.js';
import { readableTime, spoken } from '../shell/words.js';

const MOST_PARTS = 4;

/** Ids, links and keys: of use to programs, and shown in the log. */
const FOR_PROGRAMS = /(_id|_url|url|_token|token_type|_reference|expected_params|expires_in)$/i;

/** Returns the message of an enveloped answer, or the status of an answer without a useful message. */
export function messageOf(exchange: Exchange): string {
  const { message } = (exchange.answer?.body ?? {}) as { message?: unknown };
  return typeof message === 'string' && message !== 'SUCCESS' ? message : 'done';
}

/** The fields of an answer as text: "Attempts left: 4. …" */
export function learnedFrom(exchange: Exchange): string {
  const parts = Object.entries(payloadOf(exchange)).flatMap(([name, value]) => {
    const text = FOR_PROGRAMS.test(name) ? undefined : shown(value);
    return text === undefined ? [] : [`${label(name)}: ${text}`];
  });
  return parts.slice(0, MOST_PARTS).join('; ');
}

/** `otpExpiresAt` as "Otp expires at", `is_pan_verified` as "Pan verified". */
const label = (name: string): string =>
  spoken(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').replace(/^is_/, '')).replace(
    /\b(otp|pan|ekyc|ifsc)\b/gi,
    (word) => (word.toLowerCase() === 'ekyc' ? 'eKYC' : word.toUpperCase()),
  );

function shown(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value === '') return undefined;
  return /^\d{4}-\d{2}-\d{2}T/.test(value) ? readableTime(value) : value;
}
