import { createHmac } from 'node:crypto';
import { signatureProblem } from './delivery-signature.js';

/** Published by Standard Webhooks. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const AT = 1_614_265_330;
const SIGNED = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': String(AT),
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const BODY = '{"test": 2432232314}';

const check = (headers: Record<string, string> = {}, body = BODY, now = AT, secret = SECRET): string | null =>
  signatureProblem(secret, { headers: { ...SIGNED, ...headers }, body: Buffer.from(body) }, now);

/** Signed with the right secret over another time. */
function signedAt(timestamp: string): Record<string, string> {
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const code = createHmac('sha256', key)
    .update(`${SIGNED['webhook-id']}.${timestamp}.${BODY}`)
    .digest('base64');
  return { 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${code}` };
}

describe('signature of a delivery', () => {
  it('verifies the published example', () => {
    expect(check()).toBeNull();
  });

  it('verifies a delivery that an unknown secret and another version sign as well', () => {
    const signature = `v1,${'A'.repeat(43)}= v1a,AAAA ${SIGNED['webhook-signature']}`;
    expect(check({ 'webhook-signature': signature })).toBeNull();
  });

  it.each([
    ['another body', {}, '{"test":2432232314}'],
    ['another id', { 'webhook-id': 'msg_2' }, BODY],
    ['another time', { 'webhook-timestamp': String(AT + 1) }, BODY],
    ['a shorter code', { 'webhook-signature': 'v1,g0hM' }, BODY],
    ['no code', { 'webhook-signature': 'v1' }, BODY],
    ['another version', { 'webhook-signature': SIGNED['webhook-signature'].replace('v1', 'v2') }, BODY],
  ])('refuses %s', (_what, headers, body) => {
    expect(check(headers, body)).toMatch(/^No signature fits/);
  });

  it('refuses the signature of another secret', () => {
    expect(check({}, BODY, AT, `whsec_${Buffer.from('another').toString('base64')}`)).toMatch(
      /^No signature fits/,
    );
  });

  it.each(Object.keys(SIGNED))('refuses a delivery without %s', (name) => {
    expect(check({ [name]: '' })).toMatch(/^A header is missing/);
  });

  it.each([
    [-300, true],
    [300, true],
    [-301, false],
    [301, false],
  ])('compares the time with its own clock: %i seconds apart is accepted: %s', (apart, isAccepted) => {
    expect(check({}, BODY, AT + apart) === null).toBe(isAccepted);
  });

  it.each(['soon', '1e9', '-1', '1614265330.5'])('refuses the time %s', (timestamp) => {
    expect(check(signedAt(timestamp))).toMatch(/^The webhook-timestamp/);
  });
});
