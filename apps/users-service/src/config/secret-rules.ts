import { KeyObject } from 'node:crypto';
import { isGuessable, mirrored, rule } from '@fd/platform';
import type { NamedKey, SigningKey } from './slices.js';

/** Settings with keys and secrets of our own: random bytes. */
export const OWN_SECRETS = [
  'JWT_KEYS',
  'REFRESH_TOKEN_SECRET',
  'OTP_SECRET',
  'INDEX_SECRET',
  'PII_KEYS',
  'AUDIT_KEYS',
] as const;

type OwnSecret = (typeof OWN_SECRETS)[number];
type Given = Partial<Record<OwnSecret, unknown>> & { readonly NODE_ENV?: unknown };

/** The bytes of every key and secret in a setting. What is wrong in itself is neither, and has been reported. */
function bytesOf(setting: unknown): Buffer[] {
  return [setting].flat().flatMap((item) => {
    if (Buffer.isBuffer(item)) return [item];
    const { bytes, privateKey } = (item ?? {}) as Partial<NamedKey & SigningKey>;
    if (Buffer.isBuffer(bytes)) return [bytes];
    if (!(privateKey instanceof KeyObject)) return [];
    return [Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url')];
  });
}

const ownIn = (given: Given): Buffer[] => OWN_SECRETS.flatMap((name) => bytesOf(given[name]));

/** One that is another one backwards is no other. */
export function haveDifferentSecrets(given: Given): boolean {
  const all = ownIn(given).map(
    (bytes) => [bytes, mirrored(bytes)].map((way) => way.toString('hex')).sort()[0],
  );
  return new Set(all).size === all.length;
}

/** Whether none of our keys and secrets is known to somebody else: a provider or a store has none of TEXTS from us. */
export function areKeptFrom(texts: readonly string[], given: Given): boolean {
  const told = texts.flatMap((text) => [
    Buffer.from(text),
    Buffer.from(text, 'base64'),
    Buffer.from(text, 'hex'),
  ]);
  return ownIn(given).every((own) => !told.some((bytes) => bytes.equals(own) || mirrored(bytes).equals(own)));
}

/** The rule for `refine` that nobody can guess what the setting NAME holds in production. */
export const secretRule = (name: OwnSecret) =>
  [
    (given: Given) => given.NODE_ENV !== 'production' || !bytesOf(given[name]).some(isGuessable),
    rule(name, 'must be random bytes of your own in production, not an example, readable text or a pattern'),
  ] as const;
