import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';

/** A P-256 key pair that signs and verifies tokens. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public half, as published. */
  readonly publicJwk: {
    readonly kty: 'EC';
    readonly crv: 'P-256';
    readonly x: string;
    readonly y: string;
    readonly kid: string;
    readonly alg: 'ES256';
    readonly use: 'sig';
  };
}

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
export const signingKeys = z.string().transform((text, context) => {
  try {
    const { keys } = jwks.parse(JSON.parse(text));
    if (!areDifferent(keys.map(({ kid }) => kid)) || !areDifferent(keys.map(({ d }) => d)))
      throw new Error('equal');
    return keys.map(signingKey);
  } catch {
    context.addIssue({
      code: 'custom',
      message: 'must be a JWKS of private P-256 keys, all different, each with a kid of its own',
    });
    return z.NEVER;
  }
});

const areDifferent = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;

function signingKey({ kid, ...key }: z.output<typeof jwk>): SigningKey {
  const privateKey = createPrivateKey({ key: key as JsonWebKey, format: 'jwk' });
  return {
    kid,
    privateKey,
    publicKey: createPublicKey(privateKey),
    publicJwk: { kty: key.kty, crv: key.crv, x: key.x, y: key.y, kid, alg: 'ES256', use: 'sig' },
  };
}
