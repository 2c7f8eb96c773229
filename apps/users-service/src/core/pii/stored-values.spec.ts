import { digestsOf } from '../idempotency/request-digests.js';
import { KeyedHash, PiiCipher } from './pii-cipher.js';

// Written on 27 November 2026, by commit 10346648, with these keys. No change of the code may change them: the databases are full
// of such values.
const INDEX_SECRET = Buffer.alloc(32, 7);
const PII_KEY = { id: 'k1', bytes: Buffer.alloc(32, 9) };
const USER = '0198c0de-0000-7000-8000-000000000001';
const ACCOUNT = '0198c0de-0000-7000-8000-000000000002';

const hash = new KeyedHash(INDEX_SECRET);

it.each([
  ['users.phone', '919812345678', '3d3722dc42c70e0b08c6e35d43d5b6deecf01a491b7d59e7bdc5ed8251351d19'],
  ['users.email', 'asha.rao@example.com', '2897ed642c8dd128e4162952b2d04ac33a28ff33fcad92978d996078877b1b9c'],
  ['identities.pan', 'ABCPR1234K', '25286ac824e9ada45dd6c33bbb840fb1e91f7fea459a76d70cc580df84e38083'],
  [
    'bank_accounts.account',
    'HDFC0001234 50100012341111',
    'b2a0f7b27410b7d7e8a45102a183e1b76c48fc2f50475aa070a6ed67adf2e09b',
  ],
  [
    'pan_checks.claim',
    'ABCPR1234K 1990-04-21',
    'aac9b1e038a9a12b34d930ae8b6c11d60fefb4a3f5eff5c96870719cb5484094',
  ],
  ['consents.ip', '203.0.113.7', '1e63a145df8ee3929ce15e1e04b80f1becac523c25a489cd31b15d2d4981f4de'],
  ['idempotent_calls.key', 'a\u0000b', '111facc0933d1b26ab6df8650e190acdca4efc7976db40a7b85fd6ea55ad2579'],
])('hashes for %s the value %j as the stored rows have it', (purpose, value, stored) => {
  expect(hash.digest(purpose, value).toString('hex')).toBe(stored);
});

it('compares a repeated call with the stored fingerprint', () => {
  const call = { method: 'POST', originalUrl: '/auth/register', body: { phone: '919812345678' } };
  expect(digestsOf(call, hash).fingerprint.toString('hex')).toBe(
    '58e528140e5f0e3e37b4b765165d87d08ac3b0c488da6703a58cb4e6d50d3e54',
  );
});

it.each([
  ['users', 'phone', USER, 'k1.K5X9xYnyGsIi3rh6fBpml7Rhw7ef2MSG-mwv00P7iHPop5epudy_sg', '919812345678'],
  [
    'users',
    'email',
    USER,
    'k1.VQrVGUWQAKbKZd9_Of6HNk9Jtql1RaYOmO8A7VbFbjjsWPr24yEe7YLlnG_VI-So',
    'asha.rao@example.com',
  ],
  ['identities', 'pan', USER, 'k1.cJb5JPCqzLbKGT7nvgZ4nAE1yHkdEM1Aw5a9ripUP2XudifNgZQ', 'ABCPR1234K'],
  [
    'identities',
    'names',
    USER,
    'k1.izsFAOaSp74gZYDGWYXpQUzLV9ZBHT25RhS080G_J1xnnchDkTLAh0PsbEinzsQtwElu',
    '{"fullName":"ASHA RAO"}',
  ],
  [
    'bank_accounts',
    'account',
    ACCOUNT,
    'k1.QszWAOgYz2I7XxfutxS2bcYPhjWebhlsayRQPyLVpvt-gnPzUxrUK2DzdLjw9Rw9ksO9hOs7MMD0tIpNl86CqybLUecQrZmhLyevQmQ',
    '{"account":"50100012341111","ifsc":"HDFC0001234"}',
  ],
])('decrypts a stored value of %s.%s', (table, column, id, sealed, plain) => {
  expect(new PiiCipher([PII_KEY]).decrypt(sealed, { table, column, id })).toBe(plain);
});
