import type { Outgoing } from './exchange.js';

/** Quotes for a POSIX shell: only a single quote ends single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same call for a terminal, with its token: pasting it repeats the call. */
export function curlOf({ method, url, headers, body }: Outgoing): string {
  const isPlain = method === 'GET' || (method === 'POST' && body !== undefined);
  const parts = [
    `curl -i ${isPlain ? '' : `-X ${method} `}${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body))}`]),
  ];
  return parts.join(' \\\n  ');
}

/** The same call for a browser's or Node.js's console, with its token. */
export function fetchOf({ method, url, headers, body }: Outgoing): string {
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return `await fetch(${JSON.stringify(url)}, ${JSON.stringify(init, null, 2)});`;
}
