import { z } from 'zod';

/** A key with an id, which is stored beside each value that was made with it. */
export interface NamedKey {
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

function decode(text: string): Buffer | undefined {
  return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** 32 random bytes have fewer than 16 different values less than once in 10^13 draws; a placeholder has. */
const LEAST_DIFFERENT_BYTES = 16;

const looksRandom = (bytes: Buffer): boolean => new Set(bytes).size >= LEAST_DIFFERENT_BYTES;

const isStrong = (bytes: Buffer | undefined): bytes is Buffer =>
  bytes !== undefined && bytes.length >= 32 && looksRandom(bytes);

/** A secret of at least 32 random bytes, in base64. */
export const secret = z.string().transform((text, context) => {
  const bytes = decode(text);
  if (isStrong(bytes)) return bytes;
  context.addIssue({ code: 'custom', message: 'must be base64 of at least 32 random bytes' });
  return z.NEVER;
});

/** Such secrets, separated by commas: the first is used, all of them are understood. */
export const secrets = z.string().transform((text, context) => {
  const all = text.split(',').map((part) => decode(part.trim()));
  if (all.every(isStrong)) return all;
  context.addIssue({
    code: 'custom',
    message: 'must be base64 of at least 32 random bytes, or several of them separated by commas',
  });
  return z.NEVER;
});

/** `id:base64[,id:base64...]`, 32 bytes each, the newest first. */
export const namedKeys = z.string().transform((text, context) => {
  const keys = text.split(',').map((part): NamedKey | undefined => {
    const [id, encoded, ...rest] = part.trim().split(':');
    const bytes = decode(encoded ?? '');
    const isUsable =
      rest.length === 0 &&
      /^[A-Za-z0-9_-]{1,32}$/.test(id ?? '') &&
      bytes?.length === 32 &&
      looksRandom(bytes);
    return isUsable ? { id: id!, bytes } : undefined;
  });
  if (keys.every((key) => key !== undefined) && new Set(keys.map((key) => key.id)).size === keys.length)
    return keys;
  context.addIssue({
    code: 'custom',
    message: 'must be ID:BASE64 of 32 bytes, random, ids different, separated by commas',
  });
  return z.NEVER;
});
