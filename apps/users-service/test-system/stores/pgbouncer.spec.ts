import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { GeneralErrors } from '@fd/errors';
import { ConfigError } from '@fd/platform';
import { administer, eventually, expectRefusal, inParallel, recordEvidence } from '@fd/testing';
import { as, logIn } from '../../test/support/login.js';
import { type OwnPostgres, throwawayPostgres } from '../../test/support/own-postgres.mjs';
import { aPerson } from '../../test/support/person.js';
import { PgBouncer, POOL_SIZE } from '../../test/support/pgbouncer.config.js';
import { startService, type TestService, type UsersApp } from '../../test/support/users-app.js';
import { JourneyClient } from '../../test/support/journey-client.js';

const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

/** The order matters: the role has no limits at first. */
describe('behind PgBouncer in transaction mode', () => {
  let postgres: OwnPostgres;
  let bouncer: PgBouncer;
  let service: TestService;
  let other: UsersApp;
  const environment = () => ({
    DATABASE_URL: bouncer.url,
    DATABASE_POOLER: 'transaction',
    MIGRATIONS_DATABASE_URL: postgres.url('onboarding'),
    SERVICE_DATABASE_ROLE: 'service',
  });
  const asAdministrator = <Row extends object>(...statements: string[]) =>
    administer(postgres.url('onboarding'), ...statements) as Promise<Row[]>;

  beforeAll(async () => {
    postgres = await throwawayPostgres('the tests of a pooler');
    await administer(
      postgres.url('postgres'),
      "CREATE ROLE service LOGIN PASSWORD 'service'",
      'CREATE DATABASE onboarding',
    );
    const url = new URL(postgres.url('onboarding'));
    url.username = url.password = 'service';
    bouncer = await PgBouncer.start(url.href);
  });
  afterAll(async () => {
    await service.close();
    await bouncer.stop();
    await postgres.release();
  });

  const profile = async (on: UsersApp, user: Awaited<ReturnType<typeof logIn>>) =>
    as(on.api, user).get('/api/v1/user-profile');

  it("refuses to start while the service's role lacks limits, and names them", async () => {
    const refused = startService(environment());
    await expect(refused).rejects.toThrow(ConfigError);
    for (const limit of LIMITS) await expect(refused).rejects.toThrow(limit);
    await asAdministrator(
      "ALTER ROLE service SET statement_timeout = '1s'",
      "ALTER ROLE service SET lock_timeout = '500ms'",
      "ALTER ROLE service SET idle_in_transaction_session_timeout = '5s'",
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'service'",
    );
    service = await startService(environment());
    other = await service.replica();
  });

  it('completes a journey to a deposit that is ready to book', async () => {
    const { port } = (service.app.getHttpServer() as { address(): AddressInfo }).address();
    // on a busy machine a call may wait too long for one of the few connections; then another person starts again
    await eventually(async () => {
      const customer = new JourneyClient(`http://127.0.0.1:${port}`, 'aravalli', aPerson());
      await customer.all();
      expect((await customer.bookingCheck()).body.payload['blockers']).toEqual([]);
    });
  });

  it('answers sixty parallel calls at two replicas over a few shared connections', async () => {
    const users = await Promise.all([logIn(service), logIn(other)]);
    const answers = await inParallel(60, (i) => profile(i % 2 ? service : other, users[i % 2]!));
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200));
    const [connections] = await asAdministrator<{ count: number }>(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename = 'service'",
    );
    expect(connections!.count).toBeLessThanOrEqual(POOL_SIZE);
    recordEvidence('pgbouncer', { calls: 60, connections: connections!.count });
  });

  it('ends statements that take too long or whose client gave up', async () => {
    const user = await logIn(service);
    await asAdministrator(
      `CREATE FUNCTION onboarding.fault() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$`,
      `CREATE TRIGGER fault BEFORE INSERT ON onboarding.insight_events
         FOR EACH ROW EXECUTE FUNCTION onboarding.fault()`,
    );
    const track = () =>
      as(service.api, user).post('/api/v1/insights-tracking', {
        event_id: randomUUID(),
        event_name: 'PAN_SUBMITTED',
        occurred_at: new Date().toISOString(),
      });
    for (const answer of await inParallel(POOL_SIZE, track)) expectRefusal(answer, GeneralErrors.unavailable);
    await eventually(async () => {
      const busy = "SELECT FROM pg_stat_activity WHERE usename = 'service' AND state <> 'idle'";
      expect(await asAdministrator(busy)).toHaveLength(0);
    });
    await asAdministrator('DROP FUNCTION onboarding.fault() CASCADE');
    await eventually(async () => expect((await track()).status).toBe(200));
  });

  it('answers 503 while PostgreSQL is down after a crash, and recovers without a restart', async () => {
    const user = await logIn(service);
    await postgres.stop({ isCrash: true });
    expectRefusal(await profile(service, user), GeneralErrors.unavailable);
    await postgres.start();
    for (const replica of [service, other])
      await eventually(async () => expect((await profile(replica, user)).status).toBe(200));
  });
});
