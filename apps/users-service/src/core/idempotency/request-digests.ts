import { canonicalJson } from '@fd/contracts';
import type { Request } from 'express';
import type { KeyedHash } from '../pii/pii-cipher.js';

const PARTS = ['path', 'query', 'body'] as const;
export type RequestPart = (typeof PARTS)[number];

const DIGEST_BYTES = 32;

/** What identifies a request under its key. Keyed hashes, since a body may hold a number that could be guessed from its hash. */
export interface RequestDigests {
  /** Of the request as written: all that former releases store and compare. */
  readonly fingerprint: Buffer;
  /** Of path, query and body, one after the other, in canonical order. Null in a call of a former release. */
  readonly parts: Buffer | null;
}

export function digestsOf(
  { method, originalUrl, body }: Pick<Request, 'method' | 'originalUrl'> & { body: unknown },
  hash: KeyedHash,
): RequestDigests {
  const [path = '', ...query] = originalUrl.split('?');
  const parameters = new URLSearchParams(query.join('?'));
  // by name: the values of a repeated parameter stay in their order
  parameters.sort();
  const parts = { path, query: parameters.toString(), body: canonicalJson(body ?? null) };
  return {
    fingerprint: hash.digest('idempotent_calls.fingerprint', JSON.stringify([method, originalUrl, body])),
    parts: Buffer.concat(PARTS.map((part) => hash.digest(`idempotent_calls.${part}`, parts[part]))),
  };
}

export function isSameRequest(first: RequestDigests, second: RequestDigests): boolean {
  return first.fingerprint.equals(second.fingerprint) || isSame(first.parts, second.parts);
}

/** Returns nothing if one of them is a call of a former release. */
export function differingParts(first: RequestDigests, second: RequestDigests): readonly RequestPart[] {
  const [a, b] = [first.parts, second.parts];
  if (!a || !b) return [];
  const digest = (of: Buffer, index: number) => of.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
  return PARTS.filter((_, index) => !digest(a, index).equals(digest(b, index)));
}

const isSame = (a: Buffer | null, b: Buffer | null) => a !== null && b !== null && a.equals(b);
