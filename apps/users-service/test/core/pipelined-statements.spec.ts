import { dataSourceOptions, pipelined } from '@fd/platform';
import { TcpProxy } from '@fd/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { startService, type TestService } from '../support/users-app.js';

describe('pipelined statements of a transaction', () => {
  let service: TestService;
  let proxy: TcpProxy;
  let dataSource: DataSource;
  beforeAll(async () => {
    service = await startService();
    proxy = await TcpProxy.before(service.environment['DATABASE_URL']!);
    const definition = { schema: 'onboarding', entities: [], migrations: [] };
    dataSource = new DataSource(dataSourceOptions({ url: proxy.url, poolSize: 1 }, definition));
    await dataSource.initialize();
    await dataSource.query('CREATE TABLE entries (id serial PRIMARY KEY, text text UNIQUE)');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await proxy.close();
    await service.close();
  });

  const insert = (manager: EntityManager, text: string): Promise<unknown> =>
    manager.query('INSERT INTO entries (text) VALUES ($1)', [text]);
  const roundTripsOf = async (work: (manager: EntityManager) => Promise<unknown>): Promise<number> => {
    const before = proxy.roundTrips;
    await dataSource.transaction(work);
    return proxy.roundTrips - before;
  };

  it('sends pipelined statements in one round trip', async () => {
    const alone = await roundTripsOf((manager) => insert(manager, 'alone'));
    const together = await roundTripsOf((manager) =>
      pipelined(['a', 'b', 'c', 'd', 'e'].map((text) => insert(manager, text))),
    );
    expect(alone).toBe(3);
    expect(together).toBe(3);
  });

  it('runs pipelined statements in the order in which they were started', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `in order ${index}`);
    await dataSource.transaction((manager) => pipelined(texts.map((text) => insert(manager, text))));
    const rows = await dataSource.query<{ text: string }[]>(
      "SELECT text FROM entries WHERE text LIKE 'in order%' ORDER BY id",
    );
    expect(rows.map(({ text }) => text)).toEqual(texts);
  });

  it('rolls back all pipelined statements when one fails, and keeps the connection and its prepared statements usable', async () => {
    // statements that are not yet prepared: after a failure PostgreSQL does not parse those that follow
    const unread = (manager: EntityManager): Promise<unknown> =>
      manager.query('INSERT INTO entries (text) VALUES ($1) RETURNING text AS unread', ['unread']);
    const pid = async (): Promise<unknown> => dataSource.query('SELECT pg_backend_pid()');
    const before = await pid();
    await expect(
      dataSource.transaction(async (manager) => {
        await insert(manager, 'rolled back');
        await pipelined([
          insert(manager, 'alone'),
          unread(manager),
          unread(manager),
          insert(manager, 'behind'),
        ]);
      }),
    ).rejects.toMatchObject({ code: '23505' });
    expect(await pid()).toEqual(before);
    await unread(dataSource.manager);
    const rows = await dataSource.query(
      "SELECT text FROM entries WHERE text IN ('rolled back', 'behind', 'unread')",
    );
    expect(rows).toEqual([{ text: 'unread' }]);
    const kept: unknown[] = await dataSource.query(
      "SELECT 1 FROM pg_prepared_statements WHERE statement LIKE '%AS unread'",
    );
    expect(kept).toHaveLength(1);
  });
});
