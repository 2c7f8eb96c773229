import '@fd/testing/use-generous-limits';
import type { ConsentsPayload } from '@fd/contracts';
import { DEADLINE_MS } from '@fd/envelope';
import { GeneralErrors } from '@fd/errors';
import { eventually, expectRefusal, TcpProxy } from '@fd/testing';
import { as, logIn } from '../../test/support/login.js';
import { startService, type TestService, type UsersApp } from '../../test/support/users-app.js';

describe('slow PostgreSQL', () => {
  let service: TestService;
  let postgres: TcpProxy;
  /** A replica that reaches PostgreSQL through the proxy. */
  let replica: UsersApp;
  beforeAll(async () => {
    service = await startService();
    postgres = await TcpProxy.before(service.environment['DATABASE_URL']!);
    replica = await service.replica({ DATABASE_URL: postgres.url });
  });
  afterAll(async () => {
    await service.close();
    await postgres.close();
  });

  it('counts the time of guards against the deadline, and keeps a late result for the repeat', async () => {
    const me = as(replica.api, await logIn(replica));
    // a new connection would take too long, and jobs hold some of the open ones; transactions share none
    await Promise.all(
      Array.from({ length: 6 }, () => replica.database.transaction((open) => open.query('SELECT 1'))),
    );
    const { consents } = (await me.get('/api/v1/consents')).body.payload as ConsentsPayload;
    const consentId = consents[0]!.consent_id;
    const path = `/api/v1/consents/${consentId}/withdraw`;
    const options = { headers: { 'idempotency-key': `slow-${consentId}` } };
    // the session check, the idempotency claim and the withdrawal fit into the deadline; storing the answer does not
    postgres.slowDown(0.26 * DEADLINE_MS);
    const late = await me.post(path, {}, options);
    expectRefusal(late, GeneralErrors.unavailable);
    const requestId = late.headers['x-request-id'] as string;
    await eventually(() => {
      const line = replica
        .logs()
        .split('\n')
        .find((text) => text.includes(requestId) && text.includes('"status"'));
      expect(JSON.parse(line!)).toMatchObject({
        status: 503,
        route: '/api/v1/consents/:consent_id/withdraw',
      });
    });
    postgres.heal();
    const repeat = await eventually(async () => {
      const again = await me.post(path, {}, options);
      expect(again.status).toBe(200);
      return again;
    });
    expect(repeat.body.payload).toMatchObject({
      consent_id: consentId,
      withdrawn_at: expect.any(String) as string,
    });
    expect(repeat.headers['idempotent-replayed']).toBe('true');
  });
});
