import { createHash, createPublicKey, type JsonWebKey } from 'node:crypto';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { z } from 'zod';

const kid = z.string().min(1).max(64).optional();

// drops unknown members
const publicKey = z.union([
  z.object({ kty: z.literal('RSA'), n: z.string().min(342), e: z.string(), kid }),
  z.object({
    kty: z.literal('EC'),
    crv: z.enum(['P-256', 'P-384', 'P-521']),
    x: z.string(),
    y: z.string(),
    kid,
  }),
]);

/** Public JWK of a partner: RSA of at least 2048 bits or a NIST curve. */
export type PartnerPublicKey = z.output<typeof publicKey>;

/** The owner of a frontend: its URL, and the key for encrypting tokens for its backend. */
@Entity('partners')
export class Partner {
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  /** Normalised. */
  @Column('text', { unique: true }) url: string;
  @Column('jsonb') publicKey: PartnerPublicKey;
  /** Allowed origins of return addresses; empty for any. */
  @Column('text', { array: true, default: [] }) redirectOrigins: string[];
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
  @Column({ type: 'timestamptz', nullable: true }) disabledAt: Date | null;
  /** The previous key, for a roll-back; not used for encryption. */
  @Column('jsonb', { nullable: true }) formerPublicKey: PartnerPublicKey | null;
}

/** Normal form of partner URLs: origin and path without trailing slash. */
export function normalisePartnerUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** The members of a JWK that only a private or secret key has (RFC 7518, 6.2.2, 6.3.2, 6.4), and the marks of a PEM file. */
const PRIVATE = /"(?:d|p|q|dp|dq|qi|oth|k)"\s*:|PRIVATE KEY-----/;

/** Whether a text, of any format, has a private key. */
export const hasPrivateKey = (text: string): boolean => PRIVATE.test(text);

/** @throws Error when the text is not a public JWK of a supported kind */
export function parsePublicKey(text: string): PartnerPublicKey {
  if (hasPrivateKey(text)) throw new Error('a private key');
  const key = publicKey.parse(JSON.parse(text));
  createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
  return key;
}

/** Key wrapping algorithm by kind of key. */
export function keyManagementOf(key: PartnerPublicKey): 'RSA-OAEP-256' | 'ECDH-ES+A256KW' {
  return key.kty === 'RSA' ? 'RSA-OAEP-256' : 'ECDH-ES+A256KW';
}

/** Key id: the partner's own, or the key's thumbprint (RFC 7638). */
export const idOfKey = (key: PartnerPublicKey): string => key.kid ?? thumbprintOf(key);

export function thumbprintOf({ kid: _kid, ...members }: PartnerPublicKey): string {
  const inOrder = Object.fromEntries(Object.entries(members).sort());
  return createHash('sha256').update(JSON.stringify(inOrder)).digest('base64url');
}
