const MASK = '***';

/** Names of headers and fields that contain credentials, of any vendor. */
const CREDENTIAL = /authorization|secret|auth[-_]?key|api[-_]?key|token|password|cookie/i;

/** Replaces credentials in headers; the scheme of `Authorization` stays, since vendors differ in it. */
export function maskedHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => {
      const text = String(value);
      return [name, CREDENTIAL.test(name) ? text.replace(/^(basic |bearer )?.*$/is, `$1${MASK}`) : text];
    }),
  );
}

/** Replaces credentials in a path's query. */
export function maskedPath(path: string): string {
  const [place = '', ...query] = path.split('?');
  return query.length === 0 ? place : `${place}?${maskedForm(query.join('?'))}`;
}

/** Replaces credentials in a body of JSON or a form. Any other text that mentions one is replaced as a whole. */
export function maskedBody(text: string): string {
  if (!CREDENTIAL.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text, (name, value: unknown) => (CREDENTIAL.test(name) ? MASK : value)));
  } catch {
    return /^[\w.%+-]+=[^\s<{]*$/.test(text) ? maskedForm(text) : MASK;
  }
}

function maskedForm(form: string): string {
  const fields = form.split('&').map((field) => {
    const [name = ''] = field.split('=', 1);
    return CREDENTIAL.test(name) ? `${name}=${MASK}` : field;
  });
  return fields.join('&');
}
