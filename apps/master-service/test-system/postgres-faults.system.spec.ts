import '@fd/testing/use-generous-limits';
import { administer, eventually, inParallel, TcpProxy } from '@fd/testing';
import request from 'supertest';
import { DataSource } from 'typeorm';
import {
  createStores,
  type MasterApp,
  type MasterStores,
  shippedIssuers,
  startApp,
} from '../test/support/master-app.js';

interface Fault {
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  /** Whether the service notices: a poll fails. */
  readonly isSeen: boolean;
}

/** Faults other than a PostgreSQL that is down, which availability.spec.ts covers. */
describe('PostgreSQL', () => {
  let stores: MasterStores;
  let proxy: TcpProxy;
  let service: MasterApp;
  let undo: (() => Promise<unknown>) | undefined;

  beforeAll(async () => {
    stores = await createStores();
    proxy = await TcpProxy.before(stores.databaseUrl);
    service = await startApp({ ...stores.environment, DATABASE_URL: proxy.url });
  });
  afterEach(async () => {
    proxy.heal();
    await undo?.();
    undo = undefined;
  });
  afterAll(async () => {
    await service.close();
    await proxy.close();
    await stores.drop();
  });

  const inDatabase = (...statements: string[]) => administer(stores.databaseUrl, ...statements);
  const outside = (...statements: string[]) => {
    const maintenance = new URL(stores.databaseUrl);
    maintenance.pathname = '/postgres';
    return administer(maintenance.href, ...statements);
  };
  const name = () => new URL(stores.databaseUrl).pathname.slice(1);
  const endConnections = () =>
    outside(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name()}'`);

  const quote = () =>
    service.api.get('/api/v1/detail/maturity-amount/ARAVFIN', {
      query: {
        tenure: '1500',
        investment_amount: '10000',
        payout_frequency: 'Maturity',
        product_type: 'FD',
        senior_citizen: 'true',
        explain: 'true',
      },
    });
  const metric = async (pattern: RegExp) => {
    const { text } = await request(service.app.getHttpServer()).get('/metrics');
    return Number(pattern.exec(text)?.[1] ?? 0);
  };
  const failures = () => metric(/^catalogue_refresh_failures_total (\d+)/m);
  const confirmedAt = () => metric(/^catalogue_confirmed_timestamp_seconds ([\d.e+]+)/m);
  let locker: DataSource;

  const FAULTS: Record<string, Fault> = {
    'that refuses every login': {
      begin: async () => {
        await outside(`ALTER DATABASE ${name()} ALLOW_CONNECTIONS false`);
        await endConnections();
      },
      end: () => outside(`ALTER DATABASE ${name()} ALLOW_CONNECTIONS true`),
      isSeen: true,
    },
    'whose tables are locked': {
      begin: async () => {
        locker = new DataSource({ type: 'postgres', url: stores.databaseUrl });
        const runner = (await locker.initialize()).createQueryRunner();
        await runner.startTransaction();
        await runner.query('LOCK TABLE catalogue.issuers, catalogue.revisions, catalogue.api_keys');
      },
      end: () => locker.destroy(),
      isSeen: true,
    },
    'whose catalogue is gone': {
      begin: () => inDatabase('ALTER SCHEMA catalogue RENAME TO elsewhere'),
      end: () => inDatabase('ALTER SCHEMA elsewhere RENAME TO catalogue'),
      isSeen: true,
    },
    'that may only be read': {
      begin: async () => {
        await outside(`ALTER DATABASE ${name()} SET default_transaction_read_only = on`);
        await endConnections();
      },
      end: async () => {
        await outside(`ALTER DATABASE ${name()} RESET default_transaction_read_only`);
        await endConnections();
      },
      isSeen: false,
    },
    'that takes 300 ms for every answer': {
      begin: () => Promise.resolve(proxy.slowDown(300)),
      end: () => Promise.resolve(proxy.heal()),
      isSeen: false,
    },
  };

  it.each(Object.keys(FAULTS))(
    '%s leaves quotes identical, and its service loads changes afterwards',
    async (fault) => {
      const before = await quote();
      expect(before.status).toBe(200);
      const { begin, end, isSeen } = FAULTS[fault]!;
      undo = end;
      const [failed, confirmed] = [await failures(), await confirmedAt()];
      await begin();
      await eventually(async () => {
        if (isSeen) expect(await failures()).toBeGreaterThan(failed);
        else expect(await confirmedAt()).toBeGreaterThan(confirmed);
      });
      const during = await inParallel(20, quote);
      for (const { status, text } of during) expect([status, text]).toEqual([200, before.text]);
      for (const kind of ['live', 'ready']) {
        expect((await request(service.app.getHttpServer()).get(`/health/${kind}`)).status).toBe(200);
      }
      undo = undefined;
      await end();
      const benefit = (0.51 + Object.keys(FAULTS).indexOf(fault) / 100).toFixed(2);
      const issuers = (await shippedIssuers()).map((issuer) => ({ ...issuer, seniorBenefit: benefit }));
      await stores.importIssuers(issuers);
      await eventually(async () =>
        expect((await quote()).body).toMatchObject({ rate_applied: { senior: benefit } }),
      );
    },
  );

  it('fails no call when PostgreSQL ends our connections repeatedly', async () => {
    for (let times = 0; times < 5; times++) {
      await endConnections();
      const statuses = (await inParallel(10, quote)).map(({ status }) => status);
      expect(statuses).toEqual(Array(10).fill(200));
    }
    const confirmed = await confirmedAt();
    await eventually(async () => expect(await confirmedAt()).toBeGreaterThan(confirmed));
  });
});
