const SECRET_HEADERS = ['authorization', 'apikey'];
const SECRET_FIELDS = ['access_token', 'refresh_token', 'partner_token'];

/** Characters of a secret that are shown: enough to distinguish it from others. */
const SHOWN = 12;

const cut = (secret: string): string => (secret.length > SHOWN ? `${secret.slice(0, SHOWN)}…` : secret);

function cutLastWord(value: string): string {
  const start = value.lastIndexOf(' ') + 1;
  return value.slice(0, start) + cut(value.slice(start));
}

/** Headers as they are shown: keys and tokens cut short. */
export function shownHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET_HEADERS.includes(name.toLowerCase()) ? cutLastWord(value) : value,
    ]),
  );
}

/** A body as it is shown: tokens cut short, at any depth. */
export function shownBody(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(shownBody);
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      SECRET_FIELDS.includes(name) && typeof value === 'string' ? cut(value) : shownBody(value),
    ]),
  );
}
