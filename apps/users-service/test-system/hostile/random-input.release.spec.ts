import '@fd/testing/use-generous-limits';
import fc from 'fast-check';
import { as, logIn, type LoggedIn } from '../../test/support/login.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const POSTS = [
  '/auth/register',
  '/auth/api/v2/register/verify',
  '/auth/api/v2/token/refresh',
  '/auth/api/v2/logout',
];
const FIELDS = [
  'phone',
  'otp',
  'partner_url',
  'consent',
  'refresh_token',
  'all_devices',
  '__proto__',
  'constructor',
];

/** Texts that have broken other services: control characters, lone surrogates, injections, look-alike digits. */
const NAUGHTY = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\udfff\ud800',
  '\u202e',
  '１２３４５６',
  '٣٤٥',
  '0x7fffffff',
  'NaN',
  'Infinity',
  '-0',
  "' OR 1=1 --",
  '"; DROP TABLE users; --',
  '{{7*7}}',
  '${7*7}',
  '<%= 1 %>',
  '${jndi:ldap://x}',
  '*)(uid=*',
  '../../etc/passwd',
  '\r\nSet-Cookie: a=b',
  'a'.repeat(40_000),
  '😀'.repeat(500),
  'constructor',
  '__proto__',
  'toString',
  '[object Object]',
];

const anyField = fc.oneof(
  fc.constantFrom<unknown>(...NAUGHTY),
  fc.constantFrom<unknown>('919812345678', '123456', 'https://app.partner.example', true, false, null),
  fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>,
);
const anyBody = fc.dictionary(fc.constantFrom(...FIELDS), anyField, { maxKeys: 6 });

describe('requests with random input', () => {
  let service: TestService;
  let user: LoggedIn;
  beforeAll(async () => {
    service = await startService();
    user = await logIn(service);
  });
  afterAll(() => service.close());

  it.each(POSTS)('answers any JSON value in any field of POST %s without a defect', async (path) => {
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        const fresh = path.endsWith('logout') ? as(service.api, await logIn(service)) : service.api;
        const response = await fresh.post(path, body);
        expect([200, 201, 400, 401, 429]).toContain(response.status);
      }),
      { numRuns: path.endsWith('logout') ? 30 : 150 },
    );
  });

  it.each(POSTS)('answers any bytes as the body of POST %s without a defect', async (path) => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc.json().map((text) => Buffer.from(text)),
      fc.tuple(fc.json(), fc.nat(300)).map(([text, cut]) => Buffer.from(text).subarray(0, cut)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        // an empty object may log the user out
        const response = await as(service.api, await logIn(service)).raw(
          'post',
          path,
          body,
          'application/json',
        );
        expect([200, 400, 401]).toContain(response.status);
        expect(response.body).toMatchObject({ success: response.status === 200 ? 1 : 0 });
      }),
      { numRuns: 60 },
    );
  });

  it('answers any header value without a defect', async () => {
    const printable = fc.string({
      unit: fc.constantFrom(...'abcXYZ019 .,;:=/?&%{}[]"\'<>-_~+*'),
      maxLength: 300,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          'authorization',
          'x-request-id',
          'user-agent',
          'accept',
          'origin',
          'content-type',
          'x-forwarded-for',
        ),
        printable,
        async (name, value) => {
          const response = await service.api.get('/api/v1/user-profile', { headers: { [name]: value } });
          expect(response.status).toBe(401);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('refuses an access token with any changed, removed or added character', async () => {
    const changed = fc.oneof(
      fc.tuple(fc.nat(600), fc.constantFrom(...'AZaz09_-.=+/~')).map(([at, character]) => {
        const token = user.access_token;
        const index = at % token.length;
        return token.slice(0, index) + character + token.slice(index + 1);
      }),
      fc.nat(600).map((cut) => user.access_token.slice(0, cut % user.access_token.length)),
      fc
        .string({ unit: fc.constantFrom(...'AZaz09_-.'), minLength: 1, maxLength: 20 })
        .map((tail) => user.access_token + tail),
      fc
        .constantFrom('AAAA', 'A'.repeat(85), 'A'.repeat(86), 'A'.repeat(87), '')
        .map((signature) => `${user.access_token.split('.').slice(0, 2).join('.')}.${signature}`),
    );
    await fc.assert(
      fc.asyncProperty(changed, async (token) => {
        fc.pre(token.trim() !== user.access_token);
        const response = await service.api.with({ bearer: token }).get('/api/v1/user-profile');
        expect(response.status).toBe(401);
      }),
      { numRuns: 300 },
    );
  });

  it('logs no defect for any of these requests', () => {
    expect(service.logs().match(/"level":"(error|fatal)"/g)).toBeNull();
  });
});
