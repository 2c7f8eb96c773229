import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { z } from 'zod';

const rsa = z.object({ kty: z.literal('RSA'), n: z.string().min(342), e: z.string() });
const ec = z.object({
  kty: z.literal('EC'),
  crv: z.enum(['P-256', 'P-384', 'P-521']),
  x: z.string(),
  y: z.string(),
});
const kid = z.object({ kid: z.string().min(1).max(64).optional() });

// unknown members are dropped, a private one (`d`) included: it must not be kept even when it was handed over
const publicKey = z.union([rsa.extend(kid.shape), ec.extend(kid.shape)]);

/** Public JWK of a partner: RSA of at least 2048 bits or a NIST curve. */
export type PartnerPublicKey = z.output<typeof publicKey>;

/** How the content key is wrapped for a kind of key. */
export function keyManagementOf(key: PartnerPublicKey): 'RSA-OAEP-256' | 'ECDH-ES+A256KW' {
  return key.kty === 'RSA' ? 'RSA-OAEP-256' : 'ECDH-ES+A256KW';
}

/** The id by which the partner and we tell its keys apart: its own, or the key's thumbprint (RFC 7638). */
export async function idOfKey(key: PartnerPublicKey): Promise<string> {
  return key.kid ?? (await calculateJwkThumbprint(key));
}

/** @throws Error when the text is not a public JWK of a supported kind */
export function parsePublicKey(text: string): PartnerPublicKey {
  const key = publicKey.parse(JSON.parse(text));
  createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
  return key;
}
