import { generateKeyPairSync } from 'node:crypto';
import { keyManagementOf, normalisePartnerUrl, parsePublicKey } from './partner.entity.js';

describe('normalisePartnerUrl', () => {
  it.each([
    ['https://app.partner.example', 'https://app.partner.example'],
    ['https://app.partner.example/', 'https://app.partner.example'],
    ['HTTPS://APP.Partner.example:443//', 'https://app.partner.example'],
    ['https://app.partner.example/shop/', 'https://app.partner.example/shop'],
    ['https://app.partner.example/Shop?utm=1#top', 'https://app.partner.example/Shop'],
    ['https://app.partner.example:8443', 'https://app.partner.example:8443'],
  ])('%s is %s', (url, expected) => {
    expect(normalisePartnerUrl(url)).toBe(expected);
  });
});

describe('parsePublicKey', () => {
  const jwk = (type: 'public' | 'private', bits = 2_048) => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: bits });
    return JSON.stringify({
      ...(type === 'public' ? publicKey : privateKey).export({ format: 'jwk' }),
      kid: 'k',
    });
  };

  it('keeps only the public half, even of a private key', () => {
    expect(Object.keys(parsePublicKey(jwk('private'))).sort()).toEqual(['e', 'kid', 'kty', 'n']);
  });

  it('takes RSA and elliptic curves, each with its way of wrapping keys', () => {
    const curve = JSON.stringify(
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
    );
    expect(keyManagementOf(parsePublicKey(jwk('public')))).toBe('RSA-OAEP-256');
    expect(keyManagementOf(parsePublicKey(curve))).toBe('ECDH-ES+A256KW');
  });

  it.each([
    ['no JSON', 'key'],
    ['a secret key', '{"kty":"oct","k":"AAAA"}'],
    ['a short RSA key', jwk('public', 1_024)],
    ['a point that is not on its curve', '{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}'],
  ])('refuses %s', (_name, text) => {
    expect(() => parsePublicKey(text)).toThrow();
  });
});
