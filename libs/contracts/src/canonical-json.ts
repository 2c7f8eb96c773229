import { createHash } from 'node:crypto';

/** JSON in the canonical form of RFC 8785: members sorted by name, no white space. Omits undefined members. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join()}}`;
}

/** SHA-256 of the canonical JSON, in hex. */
export function canonicalHash(value: object): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
