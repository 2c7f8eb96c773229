import { hashApiKey, isHandMadeKey, newApiKey, prefixOf } from './api-key.js';

describe('API keys', () => {
  it('contains 256 random bits in characters that headers and shells accept', () => {
    const keys = Array.from({ length: 500 }, newApiKey);
    expect(new Set(keys).size).toBe(500);
    for (const key of keys) {
      expect(key).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{42}$/);
      expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    }
  });

  it('stores a hash and a short prefix of a key', () => {
    const key = newApiKey();
    expect(hashApiKey(key)).toMatch(/^[0-9a-f]{64}$/);
    expect(prefixOf(key)).toBe(key.slice(0, 8));
    expect(prefixOf('twelve-chars')).toBe('twelve');
  });

  it('hashes a key as the stored rows have it', () => {
    expect(hashApiKey('sandbox-api-key')).toBe(
      'c27f1dc0436e6ea2fe495afbfeee34098fbdebccedb5fea4bdf71e967eaaf594',
    );
  });

  it.each([
    ['sandbox-api-key', true],
    ['short', false],
    ['with a space in it', false],
    ['x'.repeat(129), false],
    ['späte-schlüssel', false],
  ])('judges the hand-made key %j: %s', (text, isUsable) => {
    expect(isHandMadeKey(text)).toBe(isUsable);
  });
});
