import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { parsed, randomBytesOf } from '@fd/platform';
import { z } from 'zod';
import type { OtpTestRule, SigningKey } from './slices.js';

const areDifferent = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;

/** Some of NAMES, each at most once, in order. */
export function orderedNames<Name extends string>(names: readonly Name[]) {
  const isName = (text: string): text is Name => names.some((name) => name === text);
  return parsed(`must be some of ${names.join(', ')}, each once, separated by commas`, (text) => {
    const given = text.split(',').map((name) => name.trim());
    return given.every(isName) && areDifferent(given) ? given : undefined;
  });
}

/** Secrets of at least 32 random bytes, in base64, separated by commas: the first creates, all verify. */
export const secrets = parsed(
  'must be base64 of at least 32 random bytes, or several of them separated by commas',
  (text) => text.split(',').map((part) => randomBytesOf(part.trim())),
);

const jwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
  kid: z.string().min(1).max(64),
});

const jwks = z.object({ keys: z.array(jwk).min(1) });

/** JSON of a JWKS with private P-256 keys; the first signs. */
export const signingKeys = parsed(
  'must be a JWKS of private P-256 keys, all different, each with a kid of its own',
  (text): SigningKey[] | undefined => {
    const { keys } = jwks.parse(JSON.parse(text));
    const areUsable = areDifferent(keys.map(({ kid }) => kid)) && areDifferent(keys.map(({ d }) => d));
    return areUsable ? keys.map(signingKey) : undefined;
  },
);

function signingKey({ kid, ...key }: z.output<typeof jwk>): SigningKey {
  const privateKey = createPrivateKey({ key: key as JsonWebKey, format: 'jwk' });
  return {
    kid,
    privateKey,
    publicKey: createPublicKey(privateKey),
    publicJwk: { kty: key.kty, crv: key.crv, x: key.x, y: key.y, kid, alg: 'ES256', use: 'sig' },
  };
}

const TEST_RULE = /^(?<pattern>[^=]+)=(?:code:(?<code>[0-9]{6})|ttl:(?<ttl>[0-9]{1,4}))$/;

/** `pattern=code:123456;pattern=ttl:0`: the patterns are regular expressions over the whole phone or address. */
export const otpTestRules = parsed(
  'must be PATTERN=code:SIXDIGITS or PATTERN=ttl:SECONDS, separated by ;',
  (text): OtpTestRule[] =>
    text
      .split(';')
      .filter((part) => part !== '')
      .map((part) => {
        const { pattern, code, ttl } = TEST_RULE.exec(part)!.groups!;
        const recipients = new RegExp(`^(?:${pattern})$`);
        return code === undefined ? { recipients, ttlSeconds: Number(ttl) } : { recipients, code };
      }),
).prefault('');
