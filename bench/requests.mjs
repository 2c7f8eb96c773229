// Requests to the servers.
import { randomInt, randomUUID } from 'node:crypto';

const json = { 'content-type': 'application/json' };
const post = (path, payload, headers = {}) => ({
  method: 'POST',
  path,
  headers: { ...json, ...headers },
  body: JSON.stringify(payload),
});

const pick = (values) => values[randomInt(values.length)];

/** Realistic quotes with mixed issuers, tenures, amounts and payouts. */
export function quotes(issuers, apiKey, count = 2_000) {
  return Array.from({ length: count }, () => {
    const { code, frequencies } = pick(issuers);
    const query = new URLSearchParams({
      tenure: String(randomInt(366, 1_090)),
      investment_amount: String(randomInt(10, 900) * 1_000),
      payout_frequency: pick(frequencies),
      senior_citizen: String(randomInt(2) === 1),
      women_citizen: 'false',
      tax_saver: 'false',
      product_type: 'FD',
    });
    return { path: `/api/v1/detail/maturity-amount/${code}?${query}`, headers: { apikey: apiKey } };
  });
}

/** Headers of nearly all clients, which accept gzip. */
export const details = (issuers, apiKey) =>
  issuers.map(({ uuid }) => ({
    path: `/detail/${uuid}`,
    headers: { apikey: apiKey, 'accept-encoding': 'gzip' },
  }));

let taken = 0;
/** Unused phones in this run, over all ranges. */
const phones = (count) =>
  Array.from({ length: count }, () => `91${String(6_000_000_000 + ((taken++ * 7_919) % 3_999_999_000))}`);

export const registers = (count) => phones(count).map((phone) => post('/auth/register', { phone }));

export const verifies = (codes, partnerUrl) =>
  Object.entries(codes).map(([phone, otp]) =>
    post('/auth/api/v2/register/verify', { phone, otp, partner_url: partnerUrl, consent: true }),
  );

export const profiles = (tokens) =>
  tokens.map((token) => ({ path: '/api/v1/user-profile', headers: { authorization: `Bearer ${token}` } }));

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const aPan = () =>
  `${pick(letters)}${pick(letters)}${pick(letters)}P${pick(letters)}${1_000 + randomInt(9_000)}${pick(letters)}`;

export const panVerifications = (tokens) =>
  tokens.map((token) =>
    post(
      '/api/v1/pan-verification',
      { number: aPan(), dob: '1990-04-21', consent_checked: true },
      { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() },
    ),
  );

export const peerSends = (count) =>
  phones(count).map((phone) => post('/api/auth/phone-number/send-otp', { phoneNumber: `+${phone}` }));

export const peerVerifies = (codes) =>
  Object.entries(codes).map(([phone, code]) =>
    post('/api/auth/phone-number/verify', { phoneNumber: `+${phone}`, code }),
  );

/** The bare servers' one path. */
export const same = (method) => [
  method === 'POST' ? post('/same', { phone: '919999900001' }) : { path: '/same' },
];

/** COUNT of REQUESTS, repeated in order. */
export const repeated = (requests, count) =>
  Array.from({ length: count }, (_, i) => requests[i % requests.length]);
