import { createPrivateKey } from 'node:crypto';
import { shownSecret, signedHeaders } from './event-signatures.js';

const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const AT = new Date(1614265330_000);
const BODY = '{"test": 2432232314}';

/** A private key of Ed25519 as this service stores it, from the seed in base64 by which Standard Webhooks publishes it. */
const stored = (seed: string): string => {
  const der = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.from(seed, 'base64'),
  ]);
  return `whsk_${createPrivateKey({ key: der, type: 'pkcs8', format: 'der' }).export({ type: 'pkcs8', format: 'der' }).toString('base64')}`;
};

describe('a delivery', () => {
  it.each([
    ['HMAC', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
    [
      'Ed25519',
      stored('VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk='),
      'v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==',
    ],
  ])('has the published signature of Standard Webhooks by %s', (_, secret, signature) => {
    expect(signedHeaders([secret], { id: ID, at: AT, body: BODY })).toEqual({
      'webhook-id': ID,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    });
  });

  it('is signed with each of two secrets, of which partners see no private key', () => {
    const secrets = [
      stored('VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk='),
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ];
    const { 'webhook-signature': signatures } = signedHeaders(secrets, { id: ID, at: AT, body: BODY });
    expect(signatures).toMatch(/^v1a,\S+ v1,\S+$/);
    expect(shownSecret(secrets[0]!)).toMatch(/^whpk_/);
  });
});
