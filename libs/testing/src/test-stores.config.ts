import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** Where the run's throwaway PostgreSQL (its maintenance database) and Redis are: set by whoever starts the run. */
function storeUrl(name: 'FD_TEST_DATABASE_URL' | 'FD_TEST_REDIS_URL'): string {
  const url = process.env[name];
  if (!url) throw new Error(`${name} is not set: run the tests with npm test or nx test`);
  return url;
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** An empty database of its own for one test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const maintenance = storeUrl('FD_TEST_DATABASE_URL');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(maintenance, `CREATE DATABASE ${name}`);
  const url = new URL(maintenance);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => void (await administer(maintenance, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

/** The run's Redis with a key prefix of its own for one test file. */
export function testRedis(): { readonly url: string; readonly keyPrefix: string } {
  return { url: storeUrl('FD_TEST_REDIS_URL'), keyPrefix: `test:${randomUUID().slice(0, 8)}:` };
}

/**
 * Does something to a PostgreSQL over a connection of its own, one statement after the other.
 * @returns the rows of the last one
 */
export async function administer(url: string, ...statements: string[]): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  // what ends it is told by the statement
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: object[] = [];
    for (const statement of statements) ({ rows } = await client.query<object>(statement));
    return rows;
  } finally {
    await client.end();
  }
}
