import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** URLs of the run's temporary PostgreSQL (its maintenance database) and Redis, set by the starter of the run. */
function storeUrl(name: 'FD_TEST_DATABASE_URL' | 'FD_TEST_REDIS_URL'): string {
  const url = process.env[name];
  if (!url) throw new Error(`${name} is not set: run the tests with npm test or nx test`);
  return url;
}

/** Role of the services on the run's PostgreSQL, with only the rights that `migrate` grants. */
export const SERVICE_ROLE = 'fd_service';
/** As long as production requires. */
const SERVICE_PASSWORD = 'password-of-the-service';

/** Connections for migrations, and the role that gets its rights. */
interface TestOwner {
  readonly url: string;
  readonly poolSize: number;
  readonly serviceRole: string;
}

export interface TestDatabase {
  /** URL as the owner. */
  readonly url: string;
  /** URL as the role of the services. */
  readonly serviceUrl: string;
  /** Settings for `migrate`. */
  readonly owner: TestOwner;
  drop(): Promise<void>;
}

/** A database that is filled once for a run and copied for each test. */
export interface DatabaseTemplate {
  /** Letters and underscores; equal names mean equal contents. */
  readonly name: string;
  /** Fills the empty database at URL and closes its connections. */
  readonly fill: (owner: TestOwner) => Promise<void>;
}

/** Creates a database for one test file: empty, or a copy of TEMPLATE. */
export async function createTestDatabase(template?: DatabaseTemplate): Promise<TestDatabase> {
  const maintenance = storeUrl('FD_TEST_DATABASE_URL');
  const name = newName();
  await (serviceRole ??= makeServiceRole(maintenance));
  if (template) await templateOf(maintenance, template);
  const server = (maintenancePool ??= poolOf(maintenance));
  await server.query(`CREATE DATABASE ${name}${template ? ` TEMPLATE ${template.name}` : ''}`);
  const owner = ownerOf(maintenance, name);
  return {
    url: owner.url,
    serviceUrl: asServiceRole(owner.url),
    owner,
    drop: async () => void (await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

const newName = (): string => `test_${randomUUID().replaceAll('-', '')}`;

const ownerOf = (maintenance: string, database: string): TestOwner => ({
  url: urlOf(maintenance, database),
  poolSize: 2,
  serviceRole: SERVICE_ROLE,
});

/** URL of the database as the role of the services. */
function asServiceRole(database: string): string {
  const url = new URL(database);
  [url.username, url.password] = [SERVICE_ROLE, SERVICE_PASSWORD];
  return url.href;
}

/** Kept for a test file, since opening a connection takes half as long as dropping a database. */
let maintenancePool: pg.Pool | undefined;

/** Its connections end when they are idle for ten seconds, and do not keep the process running until then. */
const poolOf = (url: string): pg.Pool =>
  new pg.Pool({ connectionString: url, max: 2, allowExitOnIdle: true })
    // an idle connection ends with the run's PostgreSQL
    .on('error', () => undefined);

/** Made once for a test file. */
let serviceRole: Promise<unknown> | undefined;
const templates = new Map<string, Promise<void>>();

function templateOf(maintenance: string, template: DatabaseTemplate): Promise<void> {
  const made = templates.get(template.name) ?? makeTemplate(maintenance, template);
  templates.set(template.name, made);
  return made;
}

/** Another worker may have created it, or be creating it. */
const makeServiceRole = (maintenance: string): Promise<object[]> =>
  administer(
    maintenance,
    `DO $$ BEGIN
       CREATE ROLE ${SERVICE_ROLE} LOGIN PASSWORD '${SERVICE_PASSWORD}';
     EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
     END $$`,
  );

function urlOf(maintenance: string, database: string): string {
  const url = new URL(maintenance);
  url.pathname = `/${database}`;
  return url.href;
}

/** Any number that all workers of a run share. */
const TEMPLATE_LOCK = 7_402;

/** Creates a template unless a worker of this run has done so. It is renamed when it is complete. */
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

/** The run's Redis with a key prefix for one test file. */
export function testRedis(): { readonly url: string; readonly keyPrefix: string } {
  return { url: storeUrl('FD_TEST_REDIS_URL'), keyPrefix: `test:${randomUUID().slice(0, 8)}:` };
}

/**
 * Runs statements on a PostgreSQL one after the other, over a separate connection.
 * @returns the rows of the last one
 */
export async function administer(url: string, ...statements: string[]): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  // the statement reports the error
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
