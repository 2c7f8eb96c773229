const MAX_LENGTH = 120;

/** A user agent as it may be stored and shown: printable, shortened; null when there is none. */
export function deviceOf(userAgent: string | undefined): string | null {
  const printable = (userAgent ?? '').replace(/[^\x20-\x7e]/g, '').trim();
  return printable === '' ? null : printable.slice(0, MAX_LENGTH);
}
