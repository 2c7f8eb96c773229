import type { Outgoing } from './exchange.js';

/** The service that a call went to, as @fd/client knows it. */
export interface ClientService {
  readonly name: 'users' | 'master';
  /** Paths with their parameters in braces, as in the OpenAPI document. */
  readonly patterns: readonly string[];
}

const LOGIN = '/auth/api/v2/register/verify';

/** The client needs it for a call to the catalogue too, which does not use it. */
const USERS_URL = 'http://localhost:3001';

/** The storage of a client that begins with the access token of a call; the log does not have the refresh token. */
const storageOf = (authorization: string): string => {
  const tokens = { accessToken: authorization.replace(/^Bearer /, ''), refreshToken: '' };
  return `,\n  storage: new MemoryTokenStorage(${literal(tokens, '  ')})\n}`;
};

const literal = (value: unknown, indent: string): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/"([A-Za-z_]\w*)":/g, '$1:')
    .replaceAll('\n', `\n${indent}`);

/** Returns the pattern that matches a path and its parameter values; without a match, the path itself. */
function patternOf(path: string, patterns: readonly string[]): readonly [string, Record<string, string>] {
  const parts = path.split('/');
  for (const pattern of [path, ...patterns].filter((one) => one !== path || patterns.includes(path))) {
    const expected = pattern.split('/');
    const isOne = expected.every((part, at) => part.startsWith('{') || part === parts[at]);
    if (!isOne || expected.length !== parts.length) continue;
    const named = expected.flatMap((part, at) =>
      part.startsWith('{') ? [[part.slice(1, -1), parts[at]!]] : [],
    );
    return [pattern, Object.fromEntries(named) as Record<string, string>];
  }
  return [path, {}];
}

/**
 * Returns the call as code for @fd/client, with its access token. The client stores the tokens of its login and adds an Idempotency-Key to
 * each POST.
 */
export function clientCodeOf({ method, url, headers, body }: Outgoing, service: ClientService): string {
  const { origin, pathname, searchParams } = new URL(url);
  const [pattern, path] = patternOf(pathname, service.patterns);
  const query = Object.fromEntries(searchParams);
  const key = headers['idempotency-key'];
  const options = {
    ...(Object.keys(path).length > 0 ? { path } : {}),
    ...(Object.keys(query).length > 0 ? { query } : {}),
    ...(body === undefined ? {} : { body }),
    ...(key === undefined ? {} : { idempotencyKey: key }),
  };
  const settings =
    service.name === 'users'
      ? { usersUrl: origin }
      : { usersUrl: USERS_URL, masterUrl: origin, apiKey: headers['apikey'] };
  const given = Object.keys(options).length > 0 ? `, ${literal(options, '')}` : '';
  const call =
    pathname === LOGIN
      ? `client.session.logIn(${literal(body, '')})`
      : `client.${service.name}.${method.toLowerCase()}('${pattern}'${given})`;
  const { authorization } = headers;
  const written = literal(settings, '');
  return [
    `import { createClient${authorization === undefined ? '' : ', MemoryTokenStorage'} } from '@fd/client';`,
    '',
    `const client = createClient(${authorization === undefined ? written : written.slice(0, -2) + storageOf(authorization)});`,
    `const { payload } = await ${call};`,
  ].join('\n');
}
