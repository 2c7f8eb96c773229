import { createHash } from 'node:crypto';

/** The mobile that is linked to a number, all but its end hidden. Always the same for the same number. */
export function maskedMobileOf(aadhaar: string): string {
  const end = createHash('sha256').update(aadhaar).digest().readUInt32BE() % 10_000;
  return `XXXXXX${String(end).padStart(4, '0')}`;
}
