import { randomBytes } from 'node:crypto';
import { KeyedHash } from '../../core/index.js';
import { OtpCodes, type OtpSubject } from './otp-code.js';

const names = new KeyedHash(randomBytes(32));
const codes = new OtpCodes([randomBytes(32)], names);
const subject: OtpSubject = { purpose: 'login', value: '919812345678' };

describe('OtpCodes', () => {
  it('derives six digits, the same for the same nonce', () => {
    for (let i = 0; i < 1_000; i++) {
      const nonce = codes.newNonce();
      expect(codes.derive(subject, nonce)).toMatch(/^[0-9]{6}$/);
      expect(codes.derive(subject, nonce)).toBe(codes.derive(subject, nonce));
    }
  });

  it('distributes digits uniformly at every position, leading zeros included', () => {
    const draws = 15_000;
    const counts = Array.from({ length: 6 }, () => Array<number>(10).fill(0));
    for (let i = 0; i < draws; i++) {
      [...codes.derive(subject, String(i))].forEach((digit, place) => counts[place]![Number(digit)]!++);
    }
    for (const place of counts) {
      const expected = draws / 10;
      const chiSquare = place.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
      // 9 degrees of freedom: 40 is exceeded by chance less than once in 100,000 runs
      expect(chiSquare).toBeLessThan(40);
    }
  });

  it('derives another code without the secret, for another phone, or for another nonce', () => {
    const other: OtpSubject = { ...subject, value: '919812345679' };
    const stranger = new OtpCodes([randomBytes(32)], names);
    const same = (make: (nonce: string) => string) =>
      Array.from({ length: 200 }, (_, i) => String(i)).filter(
        (nonce) => make(nonce) === codes.derive(subject, nonce),
      ).length;
    expect(same((nonce) => stranger.derive(subject, nonce))).toBeLessThan(3);
    expect(same((nonce) => codes.derive(other, nonce))).toBeLessThan(3);
    expect(same((nonce) => codes.derive(subject, `${nonce}x`))).toBeLessThan(3);
  });

  it('derives different names and fingerprints for subjects, without their values', () => {
    const other: OtpSubject = { ...subject, value: '919812345679' };
    expect(codes.key(subject)).not.toBe(codes.key(other));
    expect(codes.fingerprints(subject, '123456')).not.toEqual(codes.fingerprints(other, '123456'));
    expect(codes.fingerprints(subject, '123456')).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(codes.key(subject)).not.toContain(subject.value);
  });

  it('separates two users with one address', () => {
    const mine: OtpSubject = { purpose: 'email', userId: 'u-1', value: 'asha@example.com' };
    const theirs: OtpSubject = { ...mine, userId: 'u-2' };
    expect(codes.key(mine)).not.toBe(codes.key(theirs));
    expect(codes.fingerprints(mine, '123456')).not.toEqual(codes.fingerprints(theirs, '123456'));
    const nonces = Array.from({ length: 200 }, (_, i) => String(i));
    const alike = nonces.filter((nonce) => codes.derive(mine, nonce) === codes.derive(theirs, nonce));
    expect(alike.length).toBeLessThan(3);
  });

  it('derives a code again with its secret at any position of the list', () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    const before = new OtpCodes([older, newer], names);
    const after = new OtpCodes([newer, older], names);
    for (let i = 0; i < 200; i++) {
      for (const [maker, reader] of [
        [before, after],
        [after, before],
      ] as const) {
        const nonce = maker.newNonce();
        expect(reader.derive(subject, nonce)).toBe(maker.derive(subject, nonce));
      }
    }
    expect(after.key(subject)).toBe(before.key(subject));
    expect(after.fingerprints(subject, '123456')).toEqual(
      before.fingerprints(subject, '123456').toReversed(),
    );
  });
});

// written by commit 10346648 with these secrets: codes on their way and their counts outlast a release
it.each([
  [
    { purpose: 'login', value: '919812345678' },
    'MkllvnrYnNYVUu6NO0l3J7GZ',
    '254495',
    'f866ddc49836e318fd4ba9ef0e30f3f2',
  ],
  [
    { purpose: 'email', userId: '0198c0de-0000-7000-8000-000000000001', value: 'asha.rao@example.com' },
    'uCkzoFoyMfpzttlwNZQECHrF',
    '911892',
    '3ba43ccfb1b6cded945221482c48c3c8',
  ],
] as [OtpSubject, string, string, string][])(
  'derives key, code and fingerprint of %j as the store has them',
  (of, key, code, stored) => {
    const fixed = new OtpCodes([Buffer.alloc(32, 8)], new KeyedHash(Buffer.alloc(32, 7)));
    expect(fixed.secretIds).toEqual(['M3TYiBGu']);
    expect([fixed.key(of), fixed.derive(of, 'nonce')]).toEqual([key, code]);
    expect(fixed.fingerprints(of, '123456')).toEqual([stored]);
  },
);
