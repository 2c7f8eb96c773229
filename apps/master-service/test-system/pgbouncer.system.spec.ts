import { randomBytes } from 'node:crypto';
import {
  administer,
  eventually,
  inParallel,
  PgBouncer,
  recordEvidence,
  type RunningProcess,
  SERVICE_ROLE,
  repeatUntilServed,
} from '@fd/testing';
import { DataSource } from 'typeorm';
import { storeApiKey } from '../src/api-keys/api-keys.repository.js';
import { API_KEY, createStores, type MasterStores, shippedIssuers } from '../test/support/master-app.js';
import { ServiceProcesses } from '../test/support/service-process.js';

const LIMITS = { statement_timeout: '1s', lock_timeout: '500ms', idle_in_transaction_session_timeout: '5s' };
const QUOTE =
  '/api/v1/detail/maturity-amount/ARAVFIN?tenure=1500&investment_amount=10000&payout_frequency=Maturity&product_type=FD&senior_citizen=true&explain=true';

/** A process of the built service. The order matters: its role has no limits at first. */
describe('behind PgBouncer in transaction mode', () => {
  let stores: MasterStores;
  let bouncer: PgBouncer;
  let processes: ServiceProcesses;
  let service: RunningProcess;
  let undo: (() => Promise<unknown>) | undefined;

  beforeAll(async () => {
    stores = await createStores();
    bouncer = await PgBouncer.start(stores.environment['DATABASE_URL']!);
    processes = new ServiceProcesses({
      ...stores.environment,
      DATABASE_URL: bouncer.url,
      DATABASE_POOLER: 'transaction',
      CATALOGUE_POLL_SECONDS: '1',
      NODE_ENV: 'production',
      PRIVATE_NETWORK: 'true',
      RATE_LIMIT_SECRET: randomBytes(32).toString('base64'),
      HOST: '127.0.0.1',
    });
  });
  afterEach(async () => {
    await undo?.();
    undo = undefined;
  });
  afterAll(async () => {
    await processes.killAll();
    await bouncer.stop();
    await stores.drop();
  });

  const inDatabase = <Row extends object>(...statements: string[]) =>
    administer(stores.databaseUrl, ...statements) as Promise<Row[]>;
  const name = () => new URL(stores.databaseUrl).pathname.slice(1);
  const ofService = () => `FROM pg_stat_activity WHERE usename = '${SERVICE_ROLE}' AND datname = '${name()}'`;

  const get = (path: string, apikey = API_KEY) =>
    repeatUntilServed(async () => {
      const response = await fetch(`${service.url}${path}`, { headers: { apikey } });
      return { status: response.status, text: await response.text() };
    });
  const metric = async (pattern: RegExp) => Number(pattern.exec((await get('/metrics')).text)?.[1]);
  const failures = () => metric(/^catalogue_refresh_failures_total (\d+)/m);
  const confirmedAt = () => metric(/^catalogue_confirmed_timestamp_seconds ([\d.e+]+)/m);
  const untilConfirmed = async () => {
    const before = await confirmedAt();
    await eventually(async () => expect(await confirmedAt()).toBeGreaterThan(before));
  };
  /** Imports the catalogue with another senior benefit, and waits for a quote with it. */
  const expectReload = async (senior: string) => {
    await stores.importIssuers((await shippedIssuers()).map((one) => ({ ...one, seniorBenefit: senior })));
    await eventually(async () =>
      expect(JSON.parse((await get(QUOTE)).text)).toMatchObject({ rate_applied: { senior } }),
    );
  };

  it("refuses to start while the service's role lacks limits, and names them", async () => {
    const { status, stderr } = processes.main(processes.environment());
    expect(status).toBe(1);
    for (const limit of Object.keys(LIMITS)) expect(stderr).toContain(limit);
    await inDatabase(
      ...Object.entries(LIMITS).map(
        ([limit, value]) => `ALTER ROLE ${SERVICE_ROLE} IN DATABASE ${name()} SET ${limit} = '${value}'`,
      ),
      `SELECT pg_terminate_backend(pid) ${ofService()}`,
    );
    service = await processes.start();
  });

  it('serves catalogue and quotes, counts the limit of a key, and reloads changes', async () => {
    const paths = ['/api/v1/issuers', '/api/v1/compare?tenure=730&amount=100000', QUOTE];
    const answers = await inParallel(30, (i) => get(paths[i % paths.length]!));
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect((await get(QUOTE, 'unknown')).status).toBe(401);
    await stores.withDatabase((database) => storeApiKey(database, 'limited', 'key-with-a-limit', 3));
    await eventually(async () => expect((await get(QUOTE, 'key-with-a-limit')).status).toBe(200));
    const limited = await inParallel(3, () => get(QUOTE, 'key-with-a-limit'));
    expect(limited.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    await expectReload('0.51');
  });

  /** Each begins a fault of PostgreSQL, and returns what ends it. */
  const FAULTS: Record<string, () => Promise<() => Promise<unknown>>> = {
    'statements take too long': async () => {
      await inDatabase(
        'ALTER TABLE catalogue.revisions RENAME TO kept_revisions',
        'CREATE VIEW catalogue.revisions AS SELECT kept.* FROM catalogue.kept_revisions AS kept, pg_sleep(60)',
        `GRANT SELECT ON catalogue.revisions TO ${SERVICE_ROLE}`,
      );
      return () =>
        inDatabase(
          'DROP VIEW catalogue.revisions',
          'ALTER TABLE catalogue.kept_revisions RENAME TO revisions',
        );
    },
    'another session locks the tables': async () => {
      const locker = await new DataSource({ type: 'postgres', url: stores.databaseUrl }).initialize();
      const runner = locker.createQueryRunner();
      await runner.startTransaction();
      await runner.query('LOCK TABLE catalogue.issuers, catalogue.revisions, catalogue.api_keys');
      return () => locker.destroy();
    },
  };

  it.each(Object.keys(FAULTS))('quotes while %s, ends its statements, and polls again', async (fault) => {
    const before = await get(QUOTE);
    const failed = await failures();
    undo = await FAULTS[fault]!();
    await eventually(async () => expect(await failures()).toBeGreaterThanOrEqual(failed + 3));
    const quotes = await inParallel(20, () => get(QUOTE));
    expect(quotes).toEqual(Array(20).fill(before));
    // the statement of the latest poll at most
    await eventually(async () => {
      const running = await inDatabase(`SELECT state ${ofService()} AND state <> 'idle'`);
      expect(running.length).toBeLessThanOrEqual(1);
    });
    await undo();
    undo = undefined;
    await untilConfirmed();
    recordEvidence('pgbouncer', { quotes: quotes.length, different: 0 });
  });

  it('polls again after abandoned transactions have held all connections', async () => {
    const client = new DataSource({
      type: 'postgres',
      url: bouncer.url,
      extra: { max: PgBouncer.POOL_SIZE },
    });
    await client.initialize();
    undo = () => client.destroy();
    const failed = await failures();
    for (let count = 0; count < PgBouncer.POOL_SIZE; count++) {
      const runner = client.createQueryRunner();
      await runner.startTransaction();
      await runner.query('SELECT 1');
    }
    await eventually(async () => expect(await failures()).toBeGreaterThan(failed));
    expect((await get(QUOTE)).status).toBe(200);
    await untilConfirmed();
  });

  it('quotes while PgBouncer is down, and reloads changes once it runs again', async () => {
    const before = await get(QUOTE);
    const failed = await failures();
    await bouncer.kill();
    undo = () => bouncer.run();
    await eventually(async () => expect(await failures()).toBeGreaterThan(failed));
    expect(await inParallel(20, () => get(QUOTE))).toEqual(Array(20).fill(before));
    await undo();
    undo = undefined;
    await expectReload('0.52');
  });
});
