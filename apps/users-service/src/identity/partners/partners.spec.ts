import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, compactDecrypt, jwtVerify } from 'jose';
import { usersConfig } from '../../config/index.js';
import { FollowedClock } from '../../core/index.js';
import { jwksText, settings } from '../../../test/support/settings.js';
import { idOfKey, keyManagementOf, normalisePartnerUrl, parsePublicKey } from './partner.entity.js';
import { PartnerTokens } from './partner-tokens.js';

describe('normalisePartnerUrl', () => {
  it.each([
    ['https://app.partner.example', 'https://app.partner.example'],
    ['https://app.partner.example/', 'https://app.partner.example'],
    ['HTTPS://APP.Partner.example:443//', 'https://app.partner.example'],
    ['https://app.partner.example/shop/', 'https://app.partner.example/shop'],
    ['https://app.partner.example/Shop?utm=1#top', 'https://app.partner.example/Shop'],
    ['https://app.partner.example:8443', 'https://app.partner.example:8443'],
  ])('normalises %s to %s', (url, expected) => {
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

  it('keeps only the members of the public key', () => {
    const key = JSON.stringify({ ...JSON.parse(jwk('public')), use: 'enc', x5c: [] });
    expect(Object.keys(parsePublicKey(key)).sort()).toEqual(['e', 'kid', 'kty', 'n']);
  });

  it('accepts RSA and elliptic curves, each with its key wrapping algorithm', () => {
    const curve = JSON.stringify(
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
    );
    expect(keyManagementOf(parsePublicKey(jwk('public')))).toBe('RSA-OAEP-256');
    expect(keyManagementOf(parsePublicKey(curve))).toBe('ECDH-ES+A256KW');
  });

  it.each([
    ['no JSON', 'key'],
    ['a private key', jwk('private')],
    ['a secret key', '{"kty":"oct","k":"AAAA"}'],
    ['a short RSA key', jwk('public', 1_024)],
    ['a point that is not on its curve', '{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}'],
  ])('refuses %s', (_name, text) => {
    expect(() => parsePublicKey(text)).toThrow();
  });
});

describe('idOfKey', () => {
  it.each([
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 2_048 })],
    ['EC', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
  ])('names a key of %s by its thumbprint, unless it has an id of its own', async (_name, { publicKey }) => {
    const jwk = publicKey.export({ format: 'jwk' });
    const key = parsePublicKey(JSON.stringify({ use: 'enc', ...jwk }));
    expect(idOfKey(key)).toBe(await calculateJwkThumbprint(jwk));
    expect(idOfKey({ ...key, kid: 'own' })).toBe('own');
  });
});

/** A clock that the sandbox has moved; partners have the real time. */
class HourAhead extends FollowedClock {
  override get aheadMs(): number {
    return 3_600_000;
  }
}

describe('PartnerTokens', () => {
  const config = usersConfig(settings({ JWT_KEYS: jwksText('signs') })).tokens;
  const tokens = new PartnerTokens(config, new HourAhead('http://127.0.0.1:1'));
  const url = 'https://app.partner.example';
  const subject = { userId: 'u', sessionId: 's', isNew: true };
  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
  const jwkOf = (key: KeyObject, more = {}) =>
    parsePublicKey(JSON.stringify({ ...key.export({ format: 'jwk' }), ...more }));

  it.each([
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 3_072 }), 'RSA-OAEP-256'],
    ['P-256', ec('P-256'), 'ECDH-ES+A256KW'],
    ['P-384', ec('P-384'), 'ECDH-ES+A256KW'],
    ['P-521', ec('P-521'), 'ECDH-ES+A256KW'],
  ])('issues tokens that the owner of a key of the kind %s opens', async (_kind, pair, alg) => {
    const partner = { url, publicKey: jwkOf(pair.publicKey, { kid: 'partner-key' }) };
    // often enough for secrets that begin with a zero
    for (let i = 0; i < 20; i++) {
      const { plaintext, protectedHeader } = await compactDecrypt(
        tokens.issue(partner, subject),
        pair.privateKey,
      );
      const isCurve = alg !== 'RSA-OAEP-256';
      expect(Object.keys(protectedHeader)).toEqual([
        ...['alg', 'enc', 'cty', 'kid'],
        ...(isCurve ? ['epk'] : []),
      ]);
      expect(protectedHeader).toMatchObject({ alg, enc: 'A256GCM', cty: 'JWT', kid: 'partner-key' });
      const signed = await jwtVerify(plaintext, config.keys[0]!.publicKey, { audience: url });
      expect(signed.protectedHeader).toEqual({ alg: 'ES256', typ: 'partner+jwt', kid: 'signs' });
      const { iat, jti, ...claims } = signed.payload;
      expect(claims).toEqual({
        sid: 's',
        is_new_user: true,
        iss: config.issuer,
        aud: url,
        sub: 'u',
        exp: iat! + 300,
      });
      expect(Math.abs(iat! - Date.now() / 1_000)).toBeLessThan(60);
      expect(jti).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('names no key id for a key without one', async () => {
    const { publicKey, privateKey } = ec('P-256');
    const token = tokens.issue({ url, publicKey: jwkOf(publicKey) }, subject);
    const { protectedHeader } = await compactDecrypt(token, privateKey);
    expect(protectedHeader).not.toHaveProperty('kid');
  });
});
