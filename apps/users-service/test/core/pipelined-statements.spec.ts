import { Database, dataSourceOptions, pipelined, type Queryable } from '@fd/platform';
import { TcpProxy } from '@fd/testing';
import { DataSource } from 'typeorm';
import { startService, type TestService } from '../support/users-app.js';

describe('pipelined statements of a transaction', () => {
  let service: TestService;
  let proxy: TcpProxy;
  let dataSource: DataSource;
  let database: Database;
  beforeAll(async () => {
    service = await startService();
    proxy = await TcpProxy.before(service.environment['MIGRATIONS_DATABASE_URL']!);
    const definition = { schema: 'onboarding', entities: [], migrations: [] };
    dataSource = new DataSource(dataSourceOptions({ url: proxy.url, poolSize: 1 }, definition));
    await dataSource.initialize();
    database = new Database(dataSource);
    await database.query('CREATE TABLE entries (id serial PRIMARY KEY, text text UNIQUE)');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await proxy.close();
    await service.close();
  });

  const insert = (connection: Queryable, text: string): Promise<unknown> =>
    connection.query('INSERT INTO entries (text) VALUES ($1)', [text]);
  const roundTripsOf = async (work: (connection: Queryable) => Promise<unknown>): Promise<number> => {
    const before = proxy.roundTrips;
    await database.transaction(work);
    return proxy.roundTrips - before;
  };

  it('sends BEGIN and all pipelined statements in one round trip', async () => {
    const alone = await roundTripsOf((connection) => insert(connection, 'alone'));
    const together = await roundTripsOf((connection) =>
      pipelined(['a', 'b', 'c', 'd', 'e'].map((text) => insert(connection, text))),
    );
    expect(alone).toBe(2);
    expect(together).toBe(2);
  });

  it('runs pipelined statements in the order in which they were started', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `in order ${index}`);
    await database.transaction((connection) => pipelined(texts.map((text) => insert(connection, text))));
    const rows = await database.query<{ text: string }[]>(
      "SELECT text FROM entries WHERE text LIKE 'in order%' ORDER BY id",
    );
    expect(rows.map(({ text }) => text)).toEqual(texts);
  });

  it('rolls back all pipelined statements when one fails, and keeps the connection and its prepared statements usable', async () => {
    // uses unprepared statements: after a failure PostgreSQL does not parse the later ones
    const unread = (connection: Queryable): Promise<unknown> =>
      connection.query('INSERT INTO entries (text) VALUES ($1) RETURNING text AS unread', ['unread']);
    const pid = async (): Promise<unknown> => database.query('SELECT pg_backend_pid()');
    const before = await pid();
    await expect(
      database.transaction(async (connection) => {
        await insert(connection, 'rolled back');
        await pipelined([
          insert(connection, 'alone'),
          unread(connection),
          unread(connection),
          insert(connection, 'behind'),
        ]);
      }),
    ).rejects.toMatchObject({ code: '23505' });
    expect(await pid()).toEqual(before);
    await unread(database);
    const rows = await database.query(
      "SELECT text FROM entries WHERE text IN ('rolled back', 'behind', 'unread')",
    );
    expect(rows).toEqual([{ text: 'unread' }]);
    const kept: unknown[] = await database.query(
      "SELECT 1 FROM pg_prepared_statements WHERE statement LIKE '%AS unread'",
    );
    expect(kept).toHaveLength(1);
  });

  it('acts after the commit on what is committed, not on what was rolled back', async () => {
    const acts: string[] = [];
    const note = async (connection: Queryable, act: string): Promise<void> => {
      await insert(connection, act);
      connection.whenCommitted(() => acts.push(act));
    };
    await note(database, 'without a transaction');
    await database.transaction(async (transaction) => {
      await note(transaction, 'before the savepoint');
      const undo = await transaction.savepoint();
      await note(transaction, 'undone');
      await undo();
      await note(transaction, 'after the savepoint');
      expect(acts).toEqual(['without a transaction']);
    });
    const failed = database.transaction(async (transaction) => {
      await note(transaction, 'rolled back at the end');
      throw new Error('too late');
    });
    await expect(failed).rejects.toThrow('too late');
    const rows = await database.query<{ text: string }[]>(
      'SELECT text FROM entries WHERE text = ANY ($1) ORDER BY id',
      [
        [
          'without a transaction',
          'before the savepoint',
          'undone',
          'after the savepoint',
          'rolled back at the end',
        ],
      ],
    );
    expect(acts).toEqual(rows.map(({ text }) => text));
    expect(acts).toHaveLength(3);
  });
});
