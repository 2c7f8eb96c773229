import { hash, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const SHOWN_CHARACTERS = 8;

/** Keys chosen by a developer, for development only. */
const HAND_MADE_KEY = /^[A-Za-z0-9._-]{12,128}$/;

export const DEFAULT_CALLS_PER_MINUTE = 60_000;

/** A new key: 256 random bits in base64url. It begins with a letter or digit, so that a shell does not read it as an option. */
export function newApiKey(): string {
  for (;;) {
    const key = randomBytes(KEY_BYTES).toString('base64url');
    if (/^[A-Za-z0-9]/.test(key)) return key;
  }
}

export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The beginning of a key, at most half of it, by which its owner recognises it. */
export function prefixOf(key: string): string {
  return key.slice(0, Math.min(SHOWN_CHARACTERS, Math.floor(key.length / 2)));
}

export function isHandMadeKey(text: string): boolean {
  return HAND_MADE_KEY.test(text);
}
