import { KeyObject } from 'node:crypto';
import { isGuessable, mirrored, type NamedKey, type Problem } from '@fd/platform';
import type { SigningKey } from './slices.js';

/** Settings with keys and secrets of our own: random bytes. */
export const OWN_SECRETS = [
  'JWT_KEYS',
  'REFRESH_TOKEN_SECRET',
  'OTP_SECRET',
  'INDEX_SECRET',
  'PII_KEYS',
  'AUDIT_KEYS',
  'FACT_SHEET_KEYS',
] as const;

type OwnSecret = (typeof OWN_SECRETS)[number];
type Given = Partial<Record<OwnSecret, unknown>> & { readonly NODE_ENV?: string };

/** The bytes of every key and secret in a setting. Invalid values are reported elsewhere. */
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

/** A reversed secret counts as the same. */
export function haveDifferentSecrets(given: Given): boolean {
  const all = ownIn(given).map(
    (bytes) => [bytes, mirrored(bytes)].map((way) => way.toString('hex')).sort()[0],
  );
  return new Set(all).size === all.length;
}

/** Whether none of TEXTS, credentials of providers and stores, is one of our keys or secrets. */
export function areKeptFrom(texts: readonly string[], given: Given): boolean {
  const decoded = texts.flatMap((text) => [
    Buffer.from(text),
    Buffer.from(text, 'base64'),
    Buffer.from(text, 'hex'),
  ]);
  return ownIn(given).every(
    (own) => !decoded.some((bytes) => bytes.equals(own) || mirrored(bytes).equals(own)),
  );
}

/** Keys and secrets that are guessable in production, of the settings with NAMES. */
export function* guessableSecrets(given: Given, names: readonly OwnSecret[]): Iterable<Problem> {
  if (given.NODE_ENV !== 'production') return;
  for (const name of names)
    if (bytesOf(given[name]).some(isGuessable))
      yield [
        name,
        'must be random bytes of your own in production, not an example, readable text or a pattern',
      ];
}
