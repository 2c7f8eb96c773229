import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { VerificationProviderSettings } from '../../config/index.js';

export type WebhookAccount = Exclude<VerificationProviderSettings, { readonly kind: 'http' }>;
export type WebhookVendor = WebhookAccount['kind'];

export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Maximum age of a signature, against replays. */
const MAX_AGE_MS = 300_000;

type Proof = (account: WebhookAccount, delivery: Delivery, nowMs: number) => boolean;

/** Verifies the sender by vendor; all comparisons take constant time. */
const PROOFS: Readonly<Record<WebhookVendor, Proof>> = {
  // base64 of HMAC-SHA256 with our secret over the vendor's time and the body
  cashfree: ({ clientSecret }, { headers, bytes }, nowMs) => {
    const timestamp = textOf(headers['x-webhook-timestamp']);
    const expected = createHmac('sha256', clientSecret).update(timestamp).update(bytes).digest('base64');
    const isSigned = isSame(textOf(headers['x-webhook-signature']), expected);
    return isSigned && Math.abs(nowMs - millisecondsOf(timestamp)) <= MAX_AGE_MS;
  },
  // our id and secret in two headers: none of Setu's methods signs the body
  setu: ({ clientId, clientSecret }, { headers }) => {
    const isId = isSame(textOf(headers['x-client-id']), clientId);
    return isSame(textOf(headers['x-api-key']), clientSecret) && isId;
  },
};

export const WEBHOOK_VENDORS = Object.keys(PROOFS) as readonly WebhookVendor[];

export const isGenuine = (account: WebhookAccount, delivery: Delivery, nowMs: number): boolean =>
  PROOFS[account.kind](account, delivery, nowMs);

const textOf = (header: string | string[] | undefined): string => (typeof header === 'string' ? header : '');

/** Seconds or milliseconds since 1970: the documentation shows both. */
function millisecondsOf(timestamp: string): number {
  if (!/^\d{10}(?:\d{3})?$/.test(timestamp)) return Number.NaN;
  return Number(timestamp.padEnd(13, '0'));
}

/** Compares hashes, which have equal lengths. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
