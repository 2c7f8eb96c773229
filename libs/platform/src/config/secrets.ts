import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { z } from 'zod';
import { PUBLISHED } from './published-keys.js';

/** A text that PARSE converts to a value. @param parse throws, or returns undefined, for an invalid text */
export const parsed = <T>(message: string, parse: (text: string) => T | undefined) =>
  z.string().transform((text, context) => {
    try {
      const value = parse(text);
      if (value !== undefined) return value;
    } catch {
      // reported below
    }
    context.addIssue(message);
    // as if it were missing, for checks of several settings
    return undefined as never;
  });

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** 32 random bytes have fewer than 16 distinct values less than once in 10^13; placeholders often do. */
const MIN_DISTINCT_BYTES = 16;

/** Decodes a secret. @throws Error unless the text is base64 of at least 32 random bytes */
export function randomBytesOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (BASE64.test(text) && bytes.length >= 32 && new Set(bytes).size >= MIN_DISTINCT_BYTES) return bytes;
  throw new Error('not random');
}

/** A secret of at least 32 random bytes, in base64. */
export const secret = parsed('must be base64 of at least 32 random bytes', randomBytesOf);

/** A key with an id that is stored or sent with each of its values. */
export interface NamedKey {
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

/** `id:base64[,id:base64...]`, 32 bytes each, the newest first. */
export const namedKeys = parsed(
  'must be ID:BASE64 of 32 bytes, random, ids different, separated by commas',
  (text): NamedKey[] | undefined => {
    const keys = text.split(',').map((part) => {
      const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([^:]+)$/.exec(part.trim()) ?? [];
      return { id: id!, bytes: randomBytesOf(encoded!) };
    });
    const areUsable =
      keys.every(({ bytes }) => bytes.length === 32) &&
      new Set(keys.map(({ id }) => id)).size === keys.length;
    return areUsable ? keys : undefined;
  },
);

const isListed = (bytes: Buffer): boolean => PUBLISHED.has(hash('sha256', bytes));

/** Whether a password or a provider's key is a published example. Headers of HTTP lose blanks around it. */
export const isPublished = (text: string): boolean => isListed(Buffer.from(text.trim()));

/** In characters. */
const MIN_FOREIGN_LENGTH = 12;

/** Of a random password of 12 hexadecimal digits, 1 in 300 has fewer different characters; longer or richer ones practically never. */
const MIN_DISTINCT_CHARACTERS = 6;

/**
 * Whether a password or a provider's key can only be a placeholder or a guess: short, of few different characters, a pattern, or a
 * word of placeholders with little around it. Published examples are reported elsewhere.
 */
export function isWeak(text: string): boolean {
  const given = text.trim();
  if (isPublished(given)) return false;
  const own = given.replaceAll(ALL_WORDS, '');
  return (
    given.length < MIN_FOREIGN_LENGTH ||
    new Set(own).size < MIN_DISTINCT_CHARACTERS ||
    [given, own].some((part) => isPattern(Buffer.from(part), 1 / 2))
  );
}

const STRONG_ENOUGH = `at least ${MIN_FOREIGN_LENGTH} characters in production, of which ${MIN_DISTINCT_CHARACTERS} differ, and must be neither a pattern nor mostly a word such as "password"`;
export const WEAK_IN_PRODUCTION = `must have ${STRONG_ENOUGH}`;
export const WEAK_PASSWORD_IN_PRODUCTION = `must have a password of ${STRONG_ENOUGH}`;

/** Decoded as base64, hexadecimal digits are other bytes: the two forms of a secret. */
function formsOf(bytes: Buffer): Buffer[] {
  const text = bytes.toString('base64url');
  return /^[0-9a-f]{64,}$/i.test(text) ? [bytes, Buffer.from(text, 'hex')] : [bytes];
}

/**
 * Whether a key or secret is guessable: a published example, readable text, or a pattern, each also in hexadecimal digits. No false
 * positive in a million random keys of 32 bytes.
 */
export const isGuessable = (bytes: Buffer): boolean =>
  formsOf(bytes).some((form) => {
    const characters = Buffer.from(form.toString('base64url'));
    return isListed(form) || isReadable(form) || [form, characters].some((units) => isPattern(units, 1 / 3));
  });

const WORDS =
  /change.?me|change.?this|default|example|insecure|passwor[dt]|placeholder|production|replace.?me|secret|your.?(?:api.?)?key(?:.?here)?/i;

const ALL_WORDS = new RegExp(WORDS, 'gi');

/** Text between other bytes. So many printable ones are never there by chance. */
const TEXT_RUN = /[\t -~]{24}/;

/** Whether the bytes, or their base64, are or contain readable text, in any script. */
function isReadable(bytes: Buffer): boolean {
  const text = bytes.toString('base64url');
  // base64 of random bytes has letters of both cases; hexadecimal digits may be random too
  const isOneCase = !(/[a-z]/.test(text) && /[A-Z]/.test(text)) && !/^[0-9a-f]+.?$/i.test(text);
  return isOneCase || WORDS.test(text) || isUtf8(bytes) || TEXT_RUN.test(bytes.toString('latin1'));
}

/**
 * Whether units repeat, are mirrored, or form a sequence with equal steps.
 * @param share of the neighbours that have equal steps; a third may have them by chance among a dozen
 */
const isPattern = (units: Buffer, share: number): boolean =>
  isRepeated(units) || mirrored(units).equals(units) || isStepped(units, share);

/** The bytes from the last to the first. */
export const mirrored = (bytes: Buffer): Buffer => Buffer.from(bytes).reverse();

function isRepeated(units: Buffer): boolean {
  const periods = Array.from({ length: units.length >> 1 }, (_, i) => i + 1);
  return periods.some((period) => units.subarray(period).equals(units.subarray(0, -period)));
}

/** Whether this share of the neighbours have equal differences: the alphabet, 00 01 02, a repeated byte. */
function isStepped(units: Buffer, share: number): boolean {
  const counts = new Map<number, number>();
  for (let i = 1; i < units.length; i++) {
    const step = (units[i]! - units[i - 1]!) & 0xff;
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return Math.max(...counts.values()) >= units.length * share;
}
