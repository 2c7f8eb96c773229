import { createClient, MemoryTokenStorage } from '@fd/client';
import { clientCodeOf } from './client-code.js';

const USERS = { name: 'users', patterns: ['/auth/register', '/issuer-apis/{issuer_slug}/v1/lead'] } as const;
const headers = { authorization: 'Bearer a.b', 'idempotency-key': 'k-1' };

describe('a call with the client', () => {
  it('names the pattern, its parameters, the query, the body and the key', () => {
    const url = 'http://localhost:3001/issuer-apis/kaveri/v1/lead?issuer_code=KAVSFB';
    expect(clientCodeOf({ method: 'POST', url, headers, body: { source: 'APP' } }, USERS)).toBe(
      [
        "import { createClient, MemoryTokenStorage } from '@fd/client';",
        '',
        'const client = createClient({',
        '  usersUrl: "http://localhost:3001",',
        '  storage: new MemoryTokenStorage({',
        '    accessToken: "a.b",',
        '    refreshToken: ""',
        '  })',
        '});',
        "const { payload } = await client.users.post('/issuer-apis/{issuer_slug}/v1/lead', {",
        '  path: {',
        '    issuer_slug: "kaveri"',
        '  },',
        '  query: {',
        '    issuer_code: "KAVSFB"',
        '  },',
        '  body: {',
        '    source: "APP"',
        '  },',
        '  idempotencyKey: "k-1"',
        '});',
      ].join('\n'),
    );
  });

  it('logs in with the session of the client', () => {
    const url = 'http://localhost:3001/auth/api/v2/register/verify';
    const code = clientCodeOf({ method: 'POST', url, headers: {}, body: { otp: '123456' } }, USERS);
    expect(code).toContain('client.session.logIn({\n  otp: "123456"\n})');
  });

  it('sends the API key to the catalogue', () => {
    const url = 'http://localhost:3002/api/v1/compare?tenure=365';
    const service = { name: 'master', patterns: ['/api/v1/compare'] } as const;
    const code = clientCodeOf({ method: 'GET', url, headers: { apikey: 'abc' } }, service);
    expect(code).toContain('masterUrl: "http://localhost:3002",\n  apiKey: "abc"');
    expect(code).toContain('client.master.get(\'/api/v1/compare\', {\n  query: {\n    tenure: "365"');
  });

  it.each([
    ['users', { method: 'POST', url: 'http://localhost:3001/auth/register', headers, body: { phone: '9' } }],
    [
      'master',
      { method: 'GET', url: 'http://localhost:3002/api/v1/compare?tenure=365', headers: { apikey: 'abc' } },
    ],
  ] as const)('makes the same request when it runs: %s', async (name, request) => {
    const sent: Request[] = [];
    jest.spyOn(globalThis, 'fetch').mockImplementation((one) => {
      sent.push(one as Request);
      return Promise.resolve(Response.json({ success: 1, payload: {} }));
    });
    const code = clientCodeOf(request, { name, patterns: [] });
    const [, ...statements] = code.split('\n');
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the text of the code is what is tested
    const run = new Function(
      'createClient',
      'MemoryTokenStorage',
      `return (async () => {${statements.join('\n')}})()`,
    ) as (...names: unknown[]) => Promise<void>;
    await run(createClient, MemoryTokenStorage);
    expect(sent.map(({ method, url }) => ({ method, url }))).toEqual([
      { method: request.method, url: request.url },
    ]);
    expect(Object.fromEntries(sent[0]!.headers)).toMatchObject(request.headers);
  });
});
