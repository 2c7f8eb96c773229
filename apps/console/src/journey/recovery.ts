import { type Exchange, isGood, payloadOf, type Refusal, refusalsOf } from '../calls/exchange.js';

/** The recovery action after a refusal, with the label of its button. */
export type Recovery =
  /** `field`: the refused field, as the refusal names it; empty without one. */
  | { readonly kind: 'correct'; readonly label: string; readonly field: string }
  | { readonly kind: 'repeat'; readonly label: string }
  | { readonly kind: 'restart'; readonly label: string; readonly step: string; readonly key: string }
  /** Another call leads on; `next` says why. */
  | {
      readonly kind: 'open';
      readonly label: string;
      readonly step: string;
      readonly key: string;
      readonly next: string;
    }
  | { readonly kind: 'log-in'; readonly label: string }
  | { readonly kind: 'follow'; readonly label: string };

const restart = (label: string, step: string, key: string): Recovery => ({
  kind: 'restart',
  label,
  step,
  key,
});

const NEW_LOGIN_CODE = restart('Send a new code', 'LOGIN', 'register');
const NEW_MAIL_CODE = restart('Send a new code', 'EMAIL', 'email-send');
const NEW_AADHAAR_CODE = restart('Send a new Aadhaar code', 'EKYC', 'aadhaar-send');
const NEW_LOCKER = restart('Open a new locker session', 'EKYC', 'locker-open');
const NEW_LEAD = restart('Open a new lead', 'LEAD', 'LEAD');
const LOG_IN: Recovery = { kind: 'log-in', label: 'Log in again' };

/** Refusals after which the same request can no longer succeed, with the call that opens another. */
const RESTARTS: Readonly<Record<string, Recovery>> = {
  SVCUSER2011: NEW_LOGIN_CODE,
  SVCUSER2101: LOG_IN,
  SVCUSER2102: LOG_IN,
  SVCUSER2103: LOG_IN,
  SVCUSER2104: LOG_IN,
  SVCUSER2105: LOG_IN,
  SVCUSER2106: LOG_IN,
  SVCUSER2107: LOG_IN,
  SVCUSER2426: NEW_AADHAAR_CODE,
  SVCUSER2427: NEW_AADHAAR_CODE,
  SVCUSER2431: NEW_LOCKER,
  SVCUSER2432: NEW_LOCKER,
  SVCUSER2433: NEW_LOCKER,
  SVCUSER2434: NEW_LOCKER,
  SVCUSER2441: NEW_LEAD,
  SVCUSER2442: NEW_LEAD,
  SVCUSER2504: NEW_MAIL_CODE,
  SVCUSER2905: { kind: 'follow', label: 'Go to the step that is due' },
};

/** Refusals of a check whose code is dead after too many wrong tries. A send with these refusals only has to wait. */
const DEAD_CODES: Readonly<Record<string, Recovery>> = {
  SVCUSER2013: NEW_LOGIN_CODE,
  SVCUSER2505: NEW_MAIL_CODE,
};

/** Refusals of a wrong code. After the last try the code is dead. */
const WRONG_CODES: Readonly<Record<string, Recovery>> = {
  SVCUSER2010: NEW_LOGIN_CODE,
  SVCUSER2503: NEW_MAIL_CODE,
  SVCUSER2424: NEW_AADHAAR_CODE,
};

const isLastTry = ({ code, text }: Refusal): boolean => code in WRONG_CODES && /Tries left: 0\b/.test(text);

const PAN_OF_ANOTHER = 'SVCUSER1036';

/** A PAN of two users belongs to the one who completes the eKYC; it stays with the other if theirs is complete. */
const claimOf = ({ request }: Exchange): Recovery =>
  request.url.includes('/pan-verification')
    ? {
        ...{ kind: 'open', label: 'Continue with the eKYC', step: 'EKYC', key: 'EKYC' },
        next: 'If the PAN is this person’s, complete the eKYC: the PAN then moves to them. It stays with the other person if theirs is complete.',
      }
    : {
        ...{ kind: 'open', label: 'Verify another PAN', step: 'PAN', key: 'PAN' },
        next: 'The other person has completed the eKYC, so the PAN stays theirs. Verify another PAN, or let an operator release this one.',
      };

const isCheckOfCode = ({ request }: Exchange): boolean => /\/verify(-otp)?$/.test(request.url);

/** Whether a call sends a code: of a login, for an email address or for an Aadhaar. */
export const isSendOfCode = ({ request }: Exchange): boolean =>
  /\/(auth\/register|send-otp)(\?|$)/.test(request.url);

/** The field of a refusal whose answer names none, because a provider or the check of a code decided it. */
const FIELDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(WRONG_CODES).map((code) => [code, 'otp'])),
  SVCUSER2205: 'number',
  SVCUSER2206: 'number',
  SVCUSER2215: 'dob',
  SVCUSER2752: 'account',
  SVCUSER1454: 'account',
  SVCUSER1055: 'account_holder_full_name',
};

/** Returns the recovery from a refusal: a new request, the same request later, or other values. */
export function recoveryOf(exchange: Exchange): Recovery {
  const refusals = refusalsOf(exchange);
  if (refusals.some(({ code }) => code === PAN_OF_ANOTHER)) return claimOf(exchange);
  const lastTry = refusals.find(isLastTry);
  if (lastTry) return WRONG_CODES[lastTry.code]!;
  const restarts = isCheckOfCode(exchange) ? { ...RESTARTS, ...DEAD_CODES } : RESTARTS;
  const restarted = refusals.map(({ code }) => restarts[code]).find((recovery) => recovery !== undefined);
  if (restarted) return restarted;
  const status = exchange.answer?.status ?? 503;
  if (status === 409 || status === 429 || status >= 500) return { kind: 'repeat', label: 'Send it again' };
  const [field = ''] = refusedFieldsOf(exchange);
  return { kind: 'correct', label: `Correct ${field.split('.').at(-1) || 'it'}`, field };
}

/** The refused fields as the answer names them; for a provider's refusal, which names none, the field that it is about. */
export function refusedFieldsOf(exchange: Exchange): readonly string[] {
  const fields = refusalsOf(exchange).map(({ code, field }) => field || FIELDS[code] || '');
  return fields.filter((field) => field !== '');
}

/** Whether an answer is that of an eKYC which the person has to complete; the profile says `is_ekyc_verified` too. */
export function isOpenEkyc(exchange: Exchange): boolean {
  const payload = payloadOf(exchange);
  return payload['is_ekyc_verified'] === false && 'ekyc_status' in payload;
}

/** How an eKYC ended without success, in an answer that has opened the next request already. */
export function ekycFailureOf(exchange: Exchange): 'FAILED' | 'EXPIRED' | undefined {
  const status = isGood(exchange) ? payloadOf(exchange)['ekyc_status'] : undefined;
  return status === 'FAILED' || status === 'EXPIRED' ? status : undefined;
}

/** Seconds that a refused call has to wait before it may succeed; 0 without any. */
export function secondsToWait({ answer }: Exchange): number {
  const seconds = Number(answer?.headers['retry-after'] ?? 0);
  return Number.isFinite(seconds) ? seconds : 0;
}
