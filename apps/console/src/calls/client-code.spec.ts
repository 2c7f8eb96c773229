import { clientCodeOf } from './client-code.js';

const USERS = { name: 'users', patterns: ['/auth/register', '/issuer-apis/{issuer_slug}/v1/lead'] } as const;
const headers = { authorization: 'Bearer a.b', 'idempotency-key': 'k-1' };

describe('a call with the client', () => {
  it('names the pattern, its parameters, the query, the body and the key', () => {
    const url = 'http://localhost:3001/issuer-apis/kaveri/v1/lead?issuer_code=KAVSFB';
    expect(clientCodeOf({ method: 'POST', url, headers, body: { source: 'APP' } }, USERS)).toBe(
      [
        "import { createClient } from '@fd/client';",
        '',
        'const client = createClient({',
        '  usersUrl: "http://localhost:3001"',
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
});
