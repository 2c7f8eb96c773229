import { LoginErrors, SessionErrors } from '@fd/errors';
import { expectRefusal, inParallel } from '@fd/testing';
import { aPhone, codeOf } from '../support/inbox.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { runPartners, WHO } from '../support/operator.js';
import { startService, type TestService } from '../support/users-app.js';

const VERIFY = '/auth/api/v2/register/verify';
const URL = 'https://app.partner.example';

describe('partners disable', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startService({});
  });
  afterEach(() => service.close());

  const run = (action: string) => runPartners(service, action, '--url', URL, ...WHO);
  const openSessions = async () => {
    const [{ count }] = await service.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM onboarding.sessions WHERE ended_at IS NULL',
    );
    return count;
  };

  it('ends the sessions of the partner and refuses its logins on every replica, until it is enabled', async () => {
    const user = await logIn(service);
    const replica = await service.replica();
    expect(await run('disable')).toBe(`disabled ${URL}: no further logins; 1 sessions ended\n`);
    for (const { api } of [service, replica]) {
      expectRefusal(await as(api, user).get('/api/v1/user-profile'), SessionErrors.ended);
      const refreshed = await api.post('/auth/api/v2/token/refresh', { refresh_token: user.refresh_token });
      expectRefusal(refreshed, SessionErrors.refreshTokenInvalid);
      expectRefusal(await api.post(VERIFY, verifyBody(aPhone(), '123456')), LoginErrors.partnerUnknown);
    }
    const [event] = await service.dataSource.query<{ actor: string; code: string }[]>(
      `SELECT actor, code FROM onboarding.audit_events WHERE action = 'PARTNER_DISABLED'
       UNION SELECT actor, code FROM onboarding.audit_unsealed WHERE action = 'PARTNER_DISABLED'`,
    );
    expect(event).toEqual({ actor: 'operator:partners disable by asha-rao', code: 'TICKET_4711' });
    // once more after a failure, say
    expect(await run('disable')).toContain('0 sessions ended');
    await run('enable');
    expectRefusal(await as(service.api, user).get('/api/v1/user-profile'), SessionErrors.ended);
    expect((await logIn(service, user.phone)).user_id).toBe(user.user_id);
  });

  it('leaves no session open of logins at the same moment', async () => {
    const phones = await inParallel(8, async () => {
      const phone = aPhone();
      await service.api.post('/auth/register', { phone });
      return phone;
    });
    const codes = await Promise.all(phones.map(codeOf));
    const logins = phones.map((phone, index) => service.api.post(VERIFY, verifyBody(phone, codes[index]!)));
    await run('disable');
    for (const { status } of await Promise.all(logins)) expect([200, 400]).toContain(status);
    expect(await openSessions()).toBe(0);
  });

  it('ends more sessions than fit into one batch', async () => {
    const user = await logIn(service);
    await service.dataSource.query(
      `INSERT INTO onboarding.sessions (id, user_id, partner_id, expires_at)
       SELECT gen_random_uuid(), user_id, partner_id, expires_at FROM onboarding.sessions, generate_series(1, 2499)
        WHERE user_id = $1`,
      [user.user_id],
    );
    expect(await run('disable')).toContain('2500 sessions ended');
    expect(await openSessions()).toBe(0);
  });
});
