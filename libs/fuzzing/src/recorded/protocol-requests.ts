/** Returns requests in unusual HTTP, as bytes by name. */
export const protocolRequests = (path: string, credentials: string): Readonly<Record<string, string>> => ({
  ...requestsWithHead(path, credentials),
  ...requestsWithBody(),
});

const request = (line: string, lines: readonly string[] = [], body = ''): string =>
  [line, 'Host: service.example', 'Connection: close', ...lines, '', body].join('\r\n');

const json = (body: string, ...lines: string[]): string =>
  request(
    `POST /auth/register HTTP/1.1`,
    ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, ...lines],
    body,
  );

function requestsWithHead(path: string, credentials: string): Readonly<Record<string, string>> {
  return {
    'a call': request(`GET ${path} HTTP/1.1`, [credentials]),
    'a call without credentials': request(`GET ${path} HTTP/1.1`),
    HEAD: request(`HEAD ${path} HTTP/1.1`, [credentials]),
    'preflight of a known origin': request(`OPTIONS ${path} HTTP/1.1`, [
      'Origin: https://frontend.example',
      'Access-Control-Request-Method: POST',
      'Access-Control-Request-Headers: authorization,content-type,idempotency-key',
    ]),
    'preflight of another origin': request(`OPTIONS ${path} HTTP/1.1`, [
      'Origin: https://other.example',
      'Access-Control-Request-Method: POST',
    ]),
    'a known origin': request(`GET ${path} HTTP/1.1`, [credentials, 'Origin: https://frontend.example']),
    'another origin': request(`GET ${path} HTTP/1.1`, [credentials, 'Origin: https://other.example']),
    'OPTIONS without an origin': request(`OPTIONS ${path} HTTP/1.1`),
    'another method': request(`PATCH ${path} HTTP/1.1`, [credentials, 'Content-Length: 0']),
    TRACE: request(`TRACE ${path} HTTP/1.1`, [credentials]),
    'an unknown path': request('GET /api/v1/unknown HTTP/1.1', [credentials]),
    'the root': request('GET / HTTP/1.1'),
    'a slash at the end': request(`GET ${path}/ HTTP/1.1`, [credentials]),
    'two slashes': request(`GET /${path} HTTP/1.1`, [credentials]),
    capitals: request(`GET ${path.toUpperCase()} HTTP/1.1`, [credentials]),
    'an encoded path': request(`GET ${path.replace('v1', '%761')} HTTP/1.1`, [credentials]),
    'a malformed escape': request(`GET ${path}/%E0%A4%A HTTP/1.1`, [credentials]),
    dots: request(`GET /../..${path} HTTP/1.1`, [credentials]),
    'an absolute target': request(`GET http://other.example${path} HTTP/1.1`, [credentials]),
    'HTTP/1.0': request(`GET ${path} HTTP/1.0`, [credentials]),
    'an unknown version': request(`GET ${path} HTTP/3.7`, [credentials]),
    'no version': `GET ${path}\r\n\r\n`,
    'no HTTP': 'hello\r\n\r\n',
    'no host': `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`,
    'two hosts': request(`GET ${path} HTTP/1.1`, [credentials, 'Host: other.example']),
    'a request id': request(`GET ${path} HTTP/1.1`, [
      credentials,
      'X-Request-Id: 0198c0de-0000-7000-8000-00000000000a',
    ]),
    'a malformed request id': request(`GET ${path} HTTP/1.1`, [credentials, 'X-Request-Id: a b']),
    'long headers': request(`GET ${path} HTTP/1.1`, [credentials, `X-Long: ${'x'.repeat(40_000)}`]),
    'a long target': request(`GET ${path}?x=${'x'.repeat(40_000)} HTTP/1.1`, [credentials]),
    'an upgrade': request(`GET ${path} HTTP/1.1`, [credentials, 'Upgrade: websocket']),
    'a malformed header': request(`GET ${path} HTTP/1.1`, [credentials, 'no colon']),
  };
}

function requestsWithBody(): Readonly<Record<string, string>> {
  return {
    'an expectation': json('{}', 'Expect: 200-maybe'),
    'no body': json(''),
    'an empty object': json('{}'),
    'a list': json('[]'),
    null: json('null'),
    'a text': json('"x"'),
    'broken JSON': json('{"phone":'),
    'a byte order mark': json('\uFEFF{}'),
    'another encoding': json('{}', 'Content-Encoding: br'),
    'gzip that is none': json('{}', 'Content-Encoding: gzip'),
    'two lengths': json('{}', 'Content-Length: 3'),
    'a length and chunks': json('{}', 'Transfer-Encoding: chunked'),
    'a large body': json(JSON.stringify({ phone: 'x'.repeat(70_000) })),
    'a body of another type': request(
      'POST /auth/register HTTP/1.1',
      ['Content-Type: text/plain', 'Content-Length: 2'],
      '{}',
    ),
    'a body without a type': request('POST /auth/register HTTP/1.1', ['Content-Length: 2'], '{}'),
    chunks: request(
      'POST /auth/register HTTP/1.1',
      ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
      '2\r\n{}\r\n0\r\n\r\n',
    ),
    'a malformed chunk': request(
      'POST /auth/register HTTP/1.1',
      ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
      'x\r\n{}\r\n0\r\n\r\n',
    ),
  };
}

/** Parses an answer that was read to its end. */
export function parsedAnswer(received: string): {
  status: number;
  headers: Record<string, string>;
  text: string;
} {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((header) => {
      const colon = header.indexOf(':');
      return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
    }),
  );
  const text = rest.join('\r\n\r\n');
  return {
    status: Number(line.split(' ')[1] ?? 0),
    headers,
    // one chunk, since these answers are short
    text: headers['transfer-encoding'] === 'chunked' ? text.replace(/^[0-9a-f]+\r\n|\r\n0\r\n$/gi, '') : text,
  };
}
