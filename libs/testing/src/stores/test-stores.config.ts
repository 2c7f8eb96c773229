import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** Where the run's throwaway PostgreSQL (its maintenance database) and Redis are: set by whoever starts the run. */
function storeUrl(name: 'FD_TEST_DATABASE_URL' | 'FD_TEST_REDIS_URL'): string {
  const url = process.env[name];
  if (!url) throw new Error(`${name} is not set: run the tests with npm test or nx test`);
  return url;
}

/** Role of the services on the run's PostgreSQL: it has the rights that `migrate` grants it, and no others. */
export const SERVICE_ROLE = 'fd_service';

/** How many connections of a test migrate, and which role gets its rights. */
export interface TestOwner {
  readonly url: string;
  readonly poolSize: number;
  readonly serviceRole: string;
}

export interface TestDatabase {
  /** As its owner. */
  readonly url: string;
  /** As the role of the services. */
  readonly serviceUrl: string;
  /** For `migrate`. */
  readonly owner: TestOwner;
  drop(): Promise<void>;
}

/** A database that is filled once for a run and copied for each test that wants one like it. */
export interface DatabaseTemplate {
  /** Letters and underscores; the same name means the same content. */
  readonly name: string;
  /** Fills the empty database at URL and leaves no connection open. */
  readonly fill: (owner: TestOwner) => Promise<void>;
}

/** A database of its own for one test file: empty, or a copy of TEMPLATE. */
export async function createTestDatabase(template?: DatabaseTemplate): Promise<TestDatabase> {
  const maintenance = storeUrl('FD_TEST_DATABASE_URL');
  const name = newName();
  await makeServiceRole(maintenance);
  if (template) await makeTemplate(maintenance, template);
  await administer(maintenance, `CREATE DATABASE ${name}${template ? ` TEMPLATE ${template.name}` : ''}`);
  const owner = ownerOf(maintenance, name);
  return {
    url: owner.url,
    serviceUrl: asServiceRole(owner.url),
    owner,
    drop: async () => void (await administer(maintenance, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

const newName = (): string => `test_${randomUUID().replaceAll('-', '')}`;

const ownerOf = (maintenance: string, database: string): TestOwner => ({
  url: urlOf(maintenance, database),
  poolSize: 2,
  serviceRole: SERVICE_ROLE,
});

/** The same database as the role of the services. */
function asServiceRole(database: string): string {
  const url = new URL(database);
  url.username = url.password = SERVICE_ROLE;
  return url.href;
}

/** Another worker may have made it, or be making it. */
const makeServiceRole = (maintenance: string): Promise<object[]> =>
  administer(
    maintenance,
    `DO $$ BEGIN
       CREATE ROLE ${SERVICE_ROLE} LOGIN PASSWORD '${SERVICE_ROLE}';
     EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
     END $$`,
  );

function urlOf(maintenance: string, database: string): string {
  const url = new URL(maintenance);
  url.pathname = `/${database}`;
  return url.href;
}

/** Any number, as long as all workers of a run agree. */
const TEMPLATE_LOCK = 7_402;

/** Makes a template unless a worker of this run has made it. Its final name appears once it is complete. */
async function makeTemplate(maintenance: string, { name, fill }: DatabaseTemplate): Promise<void> {
  const client = new pg.Client({ connectionString: maintenance });
  await client.connect();
  try {
    // closing the connection releases the lock
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount) return;
    const unfinished = newName();
    await client.query(`CREATE DATABASE ${unfinished}`);
    await fill(ownerOf(maintenance, unfinished));
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  } finally {
    await client.end();
  }
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
