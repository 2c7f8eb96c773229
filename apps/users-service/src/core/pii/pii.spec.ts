import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { KeyedHash, PiiCipher, type PiiLocation } from './pii-cipher.js';

const key = (id: string) => ({ id, bytes: randomBytes(32) });
const place: PiiLocation = { table: 'users', column: 'phone', id: 'a' };

describe('PiiCipher', () => {
  it('decrypts every encrypted value', () => {
    const cipher = new PiiCipher([key('k1')]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (plain) => {
        expect(cipher.decrypt(cipher.encrypt(plain, place), place)).toBe(plain);
      }),
    );
  });

  it('decrypts values with the HKDF key of their location', () => {
    const { id, bytes } = key('k1');
    const derived = Buffer.from(hkdfSync('sha256', bytes, '', 'users|phone|a', 32));
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', derived, nonce).setAAD(Buffer.from('users|phone|a'));
    const sealed = Buffer.concat([nonce, cipher.update('919812345678'), cipher.final(), cipher.getAuthTag()]);
    const written = `k1.${sealed.toString('base64url')}`;
    expect(new PiiCipher([{ id, bytes }]).decrypt(written, place)).toBe('919812345678');
  });

  it('never encrypts to the same text twice, and includes the key id', () => {
    const cipher = new PiiCipher([key('k1')]);
    const texts = Array.from({ length: 100 }, () => cipher.encrypt('919812345678', place));
    expect(new Set(texts).size).toBe(100);
    for (const text of texts) expect(text).toMatch(/^k1\.[A-Za-z0-9_-]+$/);
  });

  it.each([
    ['another row', { ...place, id: 'b' }],
    ['another column', { ...place, column: 'email' }],
    ['another table', { ...place, table: 'nominees' }],
  ])('refuses a value that was moved to %s', (_name, elsewhere) => {
    const cipher = new PiiCipher([key('k1')]);
    expect(() => cipher.decrypt(cipher.encrypt('x', place), elsewhere)).toThrow();
  });

  it('refuses a value in which any byte was changed', () => {
    const cipher = new PiiCipher([key('k1')]);
    const sealed = Buffer.from(cipher.encrypt('919812345678', place).slice('k1.'.length), 'base64url');
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed[i]! ^= 1;
      expect(() => cipher.decrypt(`k1.${changed.toString('base64url')}`, place)).toThrow();
    }
  });

  it('reads values of an older key and writes with the newer', () => {
    const [older, newer] = [key('k1'), key('k2')];
    const written = new PiiCipher([older]).encrypt('x', place);
    const both = new PiiCipher([newer, older]);
    expect(both.decrypt(written, place)).toBe('x');
    expect(both.encrypt('x', place)).toMatch(/^k2\./);
    expect(() => new PiiCipher([newer]).decrypt(written, place)).toThrow('no key for users.phone');
  });
});

describe('KeyedHash', () => {
  const secret = randomBytes(32);

  it('returns equal hashes only for the same value and purpose', () => {
    const hash = new KeyedHash(secret);
    expect(hash.digest('a', 'x')).toEqual(new KeyedHash(secret).digest('a', 'x'));
    expect(hash.digest('a', 'x')).toHaveLength(32);
    const others = [
      hash.digest('a', 'y'),
      hash.digest('b', 'x'),
      hash.digest('ax', ''),
      new KeyedHash(randomBytes(32)).digest('a', 'x'),
    ];
    for (const other of others) expect(other).not.toEqual(hash.digest('a', 'x'));
  });
});
