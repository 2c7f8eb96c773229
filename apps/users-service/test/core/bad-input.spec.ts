import { as, logIn, type LoggedIn } from '../support/login.js';
import { startService, type TestService } from '../support/users-app.js';

describe('bad input', () => {
  let service: TestService;
  let user: LoggedIn;
  beforeAll(async () => {
    service = await startService();
    user = await logIn(service);
  });
  afterAll(() => service.close());

  it.each([
    ['a repeated parameter', '?a=1&a=2'],
    ['a key that reaches a prototype', '?__proto__[x]=1'],
    ['an encoded NUL', '?%00'],
    ['an array', '?a[]=1'],
    ['1,500 parameters', '?' + 'a=1&'.repeat(1_500)],
  ])('ignores a query of %s', async (_name, query) => {
    expect((await as(service.api, user).get(`/api/v1/user-profile${query}`)).status).toBe(200);
  });

  it.each([
    '/%00',
    '/%E0%A4%A',
    '/api/v1/user-sessions/%E0%A4%A',
    '//',
    '/..%2f..%2fetc',
    '/api/v1/user-sessions/%00',
  ])('returns 400 or 404 in the envelope for the path %s', async (path) => {
    // not through the test client, which knows only documented paths
    const response = await fetch(`${service.url}${path}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${user.access_token}` },
    });
    expect([400, 404]).toContain(response.status);
    expect(await response.json()).toMatchObject({ success: 0, payload: {} });
  });

  it('logs no defect for bad input', () => {
    expect(service.logs().match(/"level":"(error|fatal)"/g)).toBeNull();
  });
});
