import { verify } from 'node:crypto';
import { jwksText, settings } from '../../../test/support/settings.js';
import { usersConfig } from '../../config/index.js';
import { signedJwt } from './signed-jwt.js';

describe('signedJwt', () => {
  const key = usersConfig(settings({ JWT_KEYS: jwksText('signs') })).tokens.keys[0]!;

  it('signs correctly, even when a number of the signature begins with zeros', () => {
    let shorter = 0;
    for (let i = 0; shorter < 3 && i < 1_500; i++) {
      const parts = signedJwt(key, 'at+jwt', { i }).split('.');
      const [header, claims] = parts.map((part) => Buffer.from(part, 'base64url').toString());
      expect([header, claims]).toEqual(['{"alg":"ES256","typ":"at+jwt","kid":"signs"}', `{"i":${i}}`]);
      const signature = Buffer.from(parts[2]!, 'base64url');
      expect(signature).toHaveLength(64);
      if (signature[0] === 0 || signature[32] === 0) shorter++;
      const signed = Buffer.from(parts.slice(0, 2).join('.'));
      const { publicKey } = key;
      expect(verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
    }
    // one signature in 128 is shorter: 1,500 without any occur by chance once in 100,000 runs
    expect(shorter).toBeGreaterThan(0);
  });
});
