import { randomUUID } from 'node:crypto';
import { GeneralErrors } from '@fd/errors';
import { ConfigError } from '@fd/platform';
import {
  administer,
  eventually,
  expectRefusal,
  inParallel,
  PgBouncer,
  recordEvidence,
  TcpProxy,
  repeatUntilServed,
} from '@fd/testing';
import { DataSource } from 'typeorm';
import { Crowd } from '../../test/support/crowd.js';
import { as, type LoggedIn, logIn } from '../../test/support/login.js';
import { type OwnPostgres, throwawayPostgres } from '../../test/support/own-postgres.mjs';
import { aPerson } from '../../test/support/person.js';
import { startSynchronousStandby } from '../../test/support/synchronous-standby.js';
import { startService, type TestService, type UsersApp } from '../../test/support/users-app.js';
import { JourneyClient } from '../../test/support/journey-client.js';

const { POOL_SIZE } = PgBouncer;
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

/** The order matters: the role has no limits at first, and the last test leaves PostgreSQL stopped. */
describe('behind PgBouncer in transaction mode', () => {
  let postgres: OwnPostgres;
  /** Between PgBouncer and PostgreSQL. */
  let proxy: TcpProxy;
  let bouncer: PgBouncer;
  let service: TestService;
  let other: UsersApp;
  const environment = () => ({
    DATABASE_URL: bouncer.url,
    DATABASE_POOLER: 'transaction',
    MIGRATIONS_DATABASE_URL: proxy.url,
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
    proxy = await TcpProxy.before(postgres.url('onboarding'));
    const url = new URL(proxy.url);
    url.username = url.password = 'service';
    bouncer = await PgBouncer.start(url.href);
  });
  afterAll(async () => {
    await service.close();
    await bouncer.stop();
    await proxy.close();
    await postgres.release();
  });

  const profile = async (on: UsersApp, user: LoggedIn) => as(on.api, user).get('/api/v1/user-profile');

  const expectServed = async (on: UsersApp, user: LoggedIn) =>
    expect((await profile(on, user)).status).toBe(200);

  const anEvent = (id: string = randomUUID()) => ({
    event_id: id,
    event_name: 'PAN_SUBMITTED',
    occurred_at: new Date().toISOString(),
  });
  const track = (user: LoggedIn, on: UsersApp = service) =>
    as(on.api, user).post('/api/v1/insights-tracking', anEvent());

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
    // on a busy machine a call may wait too long for one of the few connections; then another person starts again
    await eventually(async () => {
      const customer = new JourneyClient(service.url, 'aravalli', aPerson());
      await customer.all();
      expect((await customer.bookingCheck()).body.payload['blockers']).toEqual([]);
    });
  });

  it('answers sixty parallel calls at two replicas over a few shared connections', async () => {
    const users = await Promise.all([logIn(service), logIn(other)]);

    // on a busy machine some may wait too long for a connection, and come again
    const answers = await inParallel(60, (i) =>
      repeatUntilServed(() => profile(i % 2 ? service : other, users[i % 2]!)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200));
    const [connections] = await asAdministrator<{ count: number }>(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename = 'service'",
    );
    expect(connections!.count).toBeLessThanOrEqual(POOL_SIZE);
    recordEvidence('pgbouncer', { calls: 60, connections: connections!.count });
  });

  /** Makes each insert of an event wait for a minute. */
  const hangInserts = () =>
    asAdministrator(
      `CREATE FUNCTION onboarding.fault() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$`,
      `CREATE TRIGGER fault BEFORE INSERT ON onboarding.insight_events
         FOR EACH ROW EXECUTE FUNCTION onboarding.fault()`,
    );
  const healInserts = () => asAdministrator('DROP FUNCTION onboarding.fault() CASCADE');

  /** States of the service's connections to PostgreSQL that are not idle. */
  const busyStates = async () => {
    const busy = "SELECT state FROM pg_stat_activity WHERE usename = 'service' AND state <> 'idle'";
    return (await asAdministrator<{ state: string }>(busy)).map(({ state }) => state);
  };
  const expectAllIdle = () => eventually(async () => expect(await busyStates()).toEqual([]));

  it('ends statements that take too long, and leaves no connection busy', async () => {
    const user = await logIn(service);
    await hangInserts();
    for (const answer of await inParallel(POOL_SIZE, () => track(user)))
      expectRefusal(answer, GeneralErrors.unavailable);
    await expectAllIdle();
    await healInserts();
    await eventually(async () => expect((await track(user)).status).toBe(200));
  });

  /** A client of PgBouncer with the service's role, as another process that uses the same pool. */
  const throughPooler = async <T>(work: (client: DataSource) => Promise<T>): Promise<T> => {
    const client = new DataSource({ type: 'postgres', url: bouncer.url, extra: { max: POOL_SIZE } });
    await client.initialize();
    return work(client).finally(() => client.destroy());
  };

  /** Parallel calls of users whose transactions hang. `held`: they have every connection to PostgreSQL. */
  const hangCalls = <T>(users: readonly LoggedIn[], call: (user: LoggedIn) => Promise<T>) => ({
    all: Promise.all(users.map(call)),
    held: eventually(async () => expect(await busyStates()).toEqual(Array(POOL_SIZE).fill('active')), 1_000),
  });

  /** Parallel calls of many users over the same connections: each gets its own data, in a new transaction. */
  const expectCleanConnections = async (users: readonly LoggedIn[]) => {
    const strangers: string[] = [];
    // PgBouncer first replaces connections that PostgreSQL has ended
    await eventually(async () => {
      const answers = await inParallel(32, (i) => profile(service, users[i % users.length]!));
      const ids = answers.map(({ body }) => (body as { payload?: { user_id?: string } }).payload?.user_id);
      const expected = answers.map((_, i) => users[i % users.length]!.user_id);
      strangers.push(...ids.filter((id, i) => id !== undefined && id !== expected[i]).map(String));
      expect(ids).toEqual(expected);
    });
    expect(strangers).toEqual([]);
    await throughPooler(async (client) => {
      const fresh =
        'SELECT now() = statement_timestamp() AND pg_current_xact_id_if_assigned() IS NULL AS fresh';
      const seen = await inParallel(32, () => client.query<[{ fresh: boolean }]>(fresh));
      expect(seen).toEqual(Array(32).fill([{ fresh: true }]));
    });
  };

  it('ends statements that wait for the lock of another session', async () => {
    const user = await logIn(service);
    const locker = new DataSource({ type: 'postgres', url: postgres.url('onboarding') });
    const holder = (await locker.initialize()).createQueryRunner();
    await holder.startTransaction();
    await holder.query('LOCK TABLE onboarding.insight_events IN ACCESS EXCLUSIVE MODE');
    await throughPooler(async (client) => {
      const waiting = client.query('SELECT count(*) FROM onboarding.insight_events');
      await expect(waiting).rejects.toThrow('canceling statement due to lock timeout');
    });
    expectRefusal(await track(user), GeneralErrors.unavailable);
    await eventually(() => expectServed(service, user));
    await holder.rollbackTransaction();
    await locker.destroy();
    await eventually(async () => expect((await track(user)).status).toBe(200));
  });

  it('ends abandoned transactions that hold all connections, and serves again', async () => {
    const user = await logIn(service);
    await throughPooler(async (client) => {
      const abandoned = Array.from({ length: POOL_SIZE }, () => client.createQueryRunner());
      for (const runner of abandoned) {
        await runner.startTransaction();
        // until the call below, however late it comes
        await runner.query("SET LOCAL idle_in_transaction_session_timeout = '1min'");
      }
      expectRefusal(await profile(service, user), GeneralErrors.unavailable);
      // from now on the limit of the role
      for (const runner of abandoned)
        await runner.query('SET LOCAL idle_in_transaction_session_timeout TO DEFAULT');
      await eventually(() => expectServed(service, user));
      // not ended by their client
      expect(abandoned.map(({ isTransactionActive }) => isTransactionActive)).toEqual(
        Array(POOL_SIZE).fill(true),
      );
    });
  });

  it('ends the transactions of clients that hang up, and hands their connections over clean', async () => {
    const users = await inParallel(2 * POOL_SIZE, () => logIn(service));
    await hangInserts();
    // on a busy machine the calls may be answered before they hold all connections
    const ids = await eventually(async () => {
      const hangUp = new AbortController();
      const sent = users.map(() => randomUUID());
      const answers = hangCalls(users, (user) =>
        fetch(`${service.url}/api/v1/insights-tracking`, {
          method: 'POST',
          headers: { authorization: `Bearer ${user.access_token}`, 'content-type': 'application/json' },
          body: JSON.stringify(anEvent(sent[users.indexOf(user)])),
          signal: hangUp.signal,
        }).then(
          ({ status }) => status,
          () => 'hung up',
        ),
      );
      await answers.held;
      hangUp.abort();
      expect(await answers.all).toEqual(users.map(() => 'hung up'));
      return sent;
    }, 120_000);
    await expectAllIdle();
    await healInserts();
    await expectCleanConnections(users);
    const kept = `SELECT FROM onboarding.insight_events WHERE event_id IN ('${ids.join("', '")}')`;
    expect(await asAdministrator(kept)).toEqual([]);
  });

  it('ends the transactions of a replica that vanishes, and hands their connections over clean', async () => {
    const users = await inParallel(2 * POOL_SIZE, () => logIn(service));
    const network = await TcpProxy.before(bouncer.url);
    const vanishing = await service.replica({ DATABASE_URL: network.url });
    for (const user of users) await eventually(() => expectServed(vanishing, user));
    await hangInserts();
    await eventually(async () => {
      const answers = hangCalls(users, (user) => track(user, vanishing));
      await answers.held;
      network.loseExisting();
      for (const answer of await answers.all) expectRefusal(answer, GeneralErrors.unavailable);
      // PgBouncer does not know that its client is gone
      expect(await busyStates()).toEqual(Array(POOL_SIZE).fill('idle in transaction (aborted)'));
      // a busy machine may need several rounds, of seven seconds each
    }, 120_000);
    await healInserts();
    await expectAllIdle();
    await expectCleanConnections(users);
    await eventually(() => expectServed(vanishing, users[0]!));
    await vanishing.close();
    await network.close();
  });

  it('answers 503 while PostgreSQL is down after a crash, and recovers without a restart', async () => {
    const user = await logIn(service);
    await postgres.stop({ isCrash: true });
    expectRefusal(await profile(service, user), GeneralErrors.unavailable);
    await postgres.start();
    for (const replica of [service, other]) await eventually(() => expectServed(replica, user));
  });

  it('loses no acknowledged write and repeats none while a standby takes over after a crash', async () => {
    const standby = await startSynchronousStandby(postgres);
    const crowd = new Crowd(service, 4);
    const goesOn = async () => {
      const before = crowd.events.length;
      await eventually(() => expect(crowd.events.length).toBeGreaterThan(before + 10));
    };
    await goesOn();
    await postgres.stop({ isCrash: true });
    // the standby is reachable before it accepts writes
    proxy.redirect(standby.url('onboarding'));
    const { refused } = crowd;
    await eventually(() => expect(crowd.refused).toBeGreaterThan(refused + 4));
    await administer(standby.url('postgres'), 'ALTER SYSTEM RESET synchronous_standby_names');
    await administer(standby.url('postgres'), 'SELECT pg_promote()', 'SELECT pg_reload_conf()');
    await goesOn();
    await crowd.end();
    await crowd.expectNothingLostOrDoubled(service);
    await service.close();
    await standby.release();
    recordEvidence('postgres-failover-pgbouncer', crowd.figures);
  });
});
