import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { VendorAccount, VerificationProviderSettings } from '../../config/index.js';

/** Vendors whose webhooks are taken. */
export type WebhookVendor = Exclude<VerificationProviderSettings['kind'], 'http'>;

/** What arrived, with its body as it was sent. */
export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** How far the time of a signature may be from ours: longer ago it is a replay, or too late to be of use. */
const MAX_AGE_MS = 300_000;

type Proof = (account: VendorAccount, delivery: Delivery, nowMs: number) => boolean;

/** What proves that a vendor has sent a webhook; all compare in constant time. */
const PROOFS: Readonly<Record<WebhookVendor, Proof>> = {
  // base64 of HMAC-SHA256 with our secret over their time and the body
  cashfree: ({ clientSecret }, { headers, bytes }, nowMs) => {
    const timestamp = textOf(headers['x-webhook-timestamp']);
    const expected = createHmac('sha256', clientSecret).update(timestamp).update(bytes).digest('base64');
    const isSigned = isSame(textOf(headers['x-webhook-signature']), expected);
    return isSigned && Math.abs(nowMs - millisecondsOf(timestamp)) <= MAX_AGE_MS;
  },
  // a pair of keys that we choose with them: no way of theirs covers the body
  setu: ({ clientId, clientSecret }, { headers }) => {
    const isId = isSame(textOf(headers['x-client-id']), clientId);
    return isSame(textOf(headers['x-api-key']), clientSecret) && isId;
  },
};

export const isWebhookVendor = (name: string): name is WebhookVendor => Object.hasOwn(PROOFS, name);

export const isGenuine = (
  vendor: WebhookVendor,
  account: VendorAccount,
  delivery: Delivery,
  nowMs: number,
): boolean => PROOFS[vendor](account, delivery, nowMs);

const textOf = (header: string | string[] | undefined): string => (typeof header === 'string' ? header : '');

/** Seconds or milliseconds since 1970; their pages show both. */
function millisecondsOf(timestamp: string): number {
  if (!/^\d{10}(?:\d{3})?$/.test(timestamp)) return Number.NaN;
  return Number(timestamp.padEnd(13, '0'));
}

/** Hashes have one length, whatever was given. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
