/** Scheme and host in a form that all parsers read alike: some turn backslashes into slashes or add missing ones. */
const ABSOLUTE = /^https?:\/\/[^/]/i;

/** An absolute http or https address of at most 2048 characters, without credentials in it. */
export function isHttpUrl(value: unknown): value is string {
  // the parser drops blanks and control characters
  if (typeof value !== 'string' || value.length > 2048 || /[\s\p{Cc}\\]/u.test(value)) return false;
  if (!ABSOLUTE.test(value) || !URL.canParse(value)) return false;
  const url = new URL(value);
  return (
    (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === ''
  );
}
