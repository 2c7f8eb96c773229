import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Environment, migrate, withDatabase, type WithDatabase } from '@fd/platform';
import {
  type ApiClient,
  createTestDatabase,
  type DatabaseTemplate,
  startTestApp,
  type TestApp,
  testRedis,
} from '@fd/testing';
import { storeApiKey } from '../../src/api-keys/api-keys.repository.js';
import { AppModule } from '../../src/app.module.js';
import { type CatalogueSettings, CatalogueSnapshot } from '../../src/catalogue/catalogue-snapshot.service.js';
import { loadCatalogue, readCatalogueFolder } from '../../src/catalogue/files/load-catalogue.js';
import { applyImport } from '../../src/catalogue/import/import.repository.js';
import type { Issuer } from '../../src/catalogue/catalogue.js';
import { masterConfig } from '../../src/config/master-config.js';
import { CATALOGUE_DATABASE } from '../../src/database/definition.js';
import { MASTER_SERVICE } from '../../src/service.js';
import { FakeClock } from './fake-clock.js';

export const CATALOGUE_FOLDER = join(import.meta.dirname, '../../catalogue');

/** Noon in India on a day on which the shipped catalogue has its usual rates. */
export const USUAL_DAY = '2026-06-10T06:30:00Z';

/** Limits for specs that send many calls: of an address, or none. */
const MOST_CALLS_PER_MINUTE = 9_999_999;

export const API_KEY = 'test-key-of-this-file';

/** The key `f1` that signs fact sheets. */
export const FACT_SHEET_KEY = randomBytes(32);

/** A short interval of polls, so that tests need not wait for changes. */
const POLL_SECONDS = 0.05;

/** A running replica of the service. */
export interface MasterApp extends TestApp {
  /** Calls with a valid key; validates every answer. */
  readonly api: ApiClient;
  /** Calls without a key. */
  readonly anonymous: ApiClient;
  readonly clock: FakeClock;
  /** Reloads the database's contents. */
  readonly refreshCatalogue: () => Promise<void>;
}

/** A migrated database with the shipped catalogue and an API key. */
export interface MasterStores {
  readonly environment: Environment;
  readonly databaseUrl: string;
  /** Replaces the issuers in the database. */
  readonly importIssuers: (issuers: readonly Issuer[]) => Promise<void>;
  readonly withDatabase: WithDatabase;
  drop(): Promise<void>;
}

/** Read once for a test file: parsing the files takes as long as starting the service. */
let shipped: Promise<readonly Issuer[]> | undefined;

/** The issuers of the shipped files on the usual day. */
export const shippedIssuers = (): Promise<readonly Issuer[]> => (shipped ??= readShippedIssuers());

async function readShippedIssuers(): Promise<readonly Issuer[]> {
  return loadCatalogue(await readCatalogueFolder(CATALOGUE_FOLDER), new Date(USUAL_DAY)).issuers;
}

/** The tables with an API key, and no issuer. */
const EMPTY: DatabaseTemplate = {
  name: 'master_empty',
  fill: async (owner) => {
    await migrate(owner, CATALOGUE_DATABASE);
    await withDatabase(
      () => owner,
      CATALOGUE_DATABASE,
    )((dataSource) => storeApiKey(dataSource, 'tests', API_KEY, MOST_CALLS_PER_MINUTE));
  },
};

/** The shipped catalogue too. */
const SHIPPED: DatabaseTemplate = {
  name: 'master_shipped',
  fill: async (owner) => {
    await EMPTY.fill(owner);
    const issuers = await shippedIssuers();
    await withDatabase(() => owner, CATALOGUE_DATABASE)((dataSource) => applyImport(dataSource, issuers));
  },
};

export async function createStores({ isEmpty = false } = {}): Promise<MasterStores> {
  const database = await createTestDatabase(isEmpty ? EMPTY : SHIPPED);
  const redis = testRedis();
  const open = withDatabase(() => database.owner, CATALOGUE_DATABASE);
  const importIssuers = (issuers: readonly Issuer[]) =>
    open(async (dataSource) => void (await applyImport(dataSource, issuers)));
  return {
    environment: {
      NODE_ENV: 'test',
      DATABASE_URL: database.serviceUrl,
      REDIS_URL: redis.url,
      REDIS_KEY_PREFIX: redis.keyPrefix,
      RATE_LIMIT_PER_MINUTE: '100000',
      FACT_SHEET_KEYS: `f1:${FACT_SHEET_KEY.toString('base64')}`,
      // the tests run in the same process and block the event loop
      MAX_EVENT_LOOP_DELAY_MS: '10000',
    },
    databaseUrl: database.url,
    importIssuers,
    withDatabase: open,
    drop: () => database.drop(),
  };
}

/** The service as in production, except for its clock and its interval of polls. */
export async function startApp(
  environment: Environment,
  { isRoleChecked = false, ...settings }: Partial<CatalogueSettings & { isRoleChecked: boolean }> = {},
): Promise<MasterApp> {
  const given = masterConfig(environment);
  const config = {
    ...given,
    database: { ...given.database, isRoleChecked },
    catalogue: { ...given.catalogue, pollSeconds: POLL_SECONDS, ...settings },
  };
  const clock = new FakeClock(USUAL_DAY);
  const started = await startTestApp(AppModule.forRoot(config), config.http, MASTER_SERVICE, clock);
  const snapshot = started.app.get(CatalogueSnapshot);
  return {
    ...started,
    anonymous: started.api,
    api: started.api.with({ headers: { apikey: API_KEY } }),
    clock,
    refreshCatalogue: async () => {
      // the first call may join a poll from before the test's change
      await snapshot.refresh();
      await snapshot.refresh();
    },
  };
}

export interface TestService extends MasterApp {
  readonly stores: MasterStores;
}

/** The service that the tests of a file share. */
let shared: Promise<OwnedService> | undefined;

interface OwnedService extends TestService {
  end(): Promise<void>;
}

/**
 * Stores with the shipped catalogue, and a replica. With OVERRIDES the caller gets its own. Without them, all calls in a
 * test file return the same service: its clock restarts at the usual day, and a test that imports another catalogue restores
 * the shipped one.
 */
export async function startService(overrides?: Environment): Promise<TestService> {
  const isShared = overrides === undefined;
  const owned = await (isShared ? (shared ??= launch({})) : launch(overrides));
  owned.clock.set(USUAL_DAY);
  // excludes log lines of earlier callers
  const { length } = owned.logs();
  return {
    ...owned,
    logs: () => owned.logs().slice(length),
    close: async () => {
      if (!isShared) await owned.end();
    },
  };
}

// every test file has its own instance of this module
afterAll(async () => {
  await (await shared)?.end();
});

async function launch(overrides: Environment): Promise<OwnedService> {
  const stores = await createStores();
  const app = await startApp({ ...stores.environment, ...overrides });
  return {
    ...app,
    stores,
    end: async () => {
      await app.close();
      await stores.drop();
    },
  };
}
