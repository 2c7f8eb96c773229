import { createHash } from 'node:crypto';
import { FATHERS, GIVEN_NAMES, SURNAMES } from './names.table.js';

/** A person in the registry's spelling: upper case. */
export interface Person {
  readonly full: string;
  readonly first: string;
  readonly middle: string | null;
  readonly last: string;
  readonly father: string;
}

/** Derives the holder from the PAN: the same PAN is always the same person. */
export function personOf(pan: string): Person {
  const hash = createHash('sha256').update(pan).digest();
  // each part by its own byte
  const pick = <T>(list: readonly T[], byte: number): T => list[hash[byte]! % list.length]!;
  const given = pick(GIVEN_NAMES, 0);
  const first: string = pick(given.first, 1);
  const middle: string | null = pick(given.middle, 2);
  const last = pick(SURNAMES[pan.charAt(4)]!, 3);
  const full = [first, middle, last].filter((part) => part !== null).join(' ');
  return { full, first, middle, last, father: `${pick(FATHERS, 4)} ${last}` };
}
