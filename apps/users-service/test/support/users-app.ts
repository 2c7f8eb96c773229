import { dataSourceOptions, type Environment, migrate, ownerDatabaseConfig } from '@fd/platform';
import {
  createTestDatabase,
  type DatabaseTemplate,
  startTestApp,
  type TestApp,
  type TestDatabase,
  testRedis,
} from '@fd/testing';
import { DataSource } from 'typeorm';
import { AppModule } from '../../src/app.module.js';
import { usersConfig } from '../../src/config/users-config.js';
import { ONBOARDING_DATABASE } from '../../src/onboarding-database.js';
import { USERS_SERVICE } from '../../src/service.js';
import { FakeClock } from './fake-clock.js';
import { aPartner, ecKeys, type TestPartner } from './partner.js';
import { sandboxPorts, sandboxUrl } from './sandbox.config.js';
import { providerSettings, settings } from './settings.js';

/** A running replica of the service. */
export interface UsersApp extends TestApp {
  /** Connects as the owner of the schema, for statements that the service's role may not run. */
  readonly dataSource: DataSource;
  /** The service's own connection, with the rights of its role. */
  readonly database: DataSource;
  readonly clock: FakeClock;
  readonly environment: Environment;
}

export interface TestService extends UsersApp {
  readonly partner: TestPartner;
  /** Starts a second replica on the same stores with the same secrets. */
  replica(overrides?: Environment): Promise<UsersApp>;
}

/** Migrated once for a run, copied for each service. */
const MIGRATED: DatabaseTemplate = {
  name: 'migrated_onboarding',
  fill: async (owner) => void (await migrate(owner, ONBOARDING_DATABASE)),
};

/** Created once for a test file. RSA keys, which verify.spec.ts tests too, would take a tenth of a second. */
const PARTNER_KEYS = ecKeys();

/** The service that the tests of a file share, since its start takes longer than most tests. */
let shared: Promise<OwnedService> | undefined;

interface OwnedService extends UsersApp {
  readonly partner: TestPartner;
  end(): Promise<void>;
}

/** The shared service counts all specs' calls as those of one client. */
const SHARED_SETTINGS: Environment = { RATE_LIMIT_PER_MINUTE: '1000000' };

/**
 * Starts the service as it runs in production, with the sandbox for providers. With OVERRIDES the caller gets its own
 * service on its own stores. Without them, all calls in a test file return the same service: its clock restarts at the
 * real time, and `close` ends only the replicas.
 */
export async function startService(overrides?: Environment): Promise<TestService> {
  const isShared = overrides === undefined;
  const owned = await (isShared ? (shared ??= launch(SHARED_SETTINGS)) : launch(overrides));
  owned.clock.reset();
  // excludes log lines of earlier callers
  const { length } = owned.logs();
  const replicas: UsersApp[] = [];
  return {
    ...owned,
    logs: () => owned.logs().slice(length),
    replica: async (more = {}) => {
      const replica = await startApp({ ...owned.environment, ...more });
      replicas.push(replica);
      return replica;
    },
    close: async () => {
      for (const replica of replicas) await replica.close();
      if (!isShared) await owned.end();
    },
  };
}

// every test file has its own instance of this module
afterAll(async () => {
  await (await shared)?.end();
});

async function launch(overrides: Environment): Promise<OwnedService> {
  const database = await createTestDatabase(MIGRATED);
  // on the caller's own PostgreSQL the service is the owner: a release starts by migrating
  const { DATABASE_URL } = overrides;
  const stores =
    DATABASE_URL === undefined ? storeSettings(database) : { ...testRedisSettings(), DATABASE_URL };
  const environment = settings({ ...stores, ...(await sandboxSettings()), ...overrides });
  if (DATABASE_URL !== undefined) await migrate(ownerDatabaseConfig(environment), ONBOARDING_DATABASE);
  const app = await startApp(environment);
  return {
    ...app,
    partner: await aPartner(app.dataSource, { keys: PARTNER_KEYS }),
    end: async () => {
      await app.close();
      await database.drop();
    },
  };
}

export async function startApp(environment: Environment): Promise<UsersApp> {
  const config = usersConfig(environment);
  const clock = new FakeClock();
  const started = await startTestApp(AppModule.forRoot(config), config.http, USERS_SERVICE, clock);
  const dataSource = await ownerDataSource(environment, started.app.get(DataSource));
  return {
    ...started,
    dataSource,
    database: started.app.get(DataSource),
    clock,
    environment,
    close: async () => {
      await started.close();
      if (dataSource.isInitialized) await dataSource.destroy();
    },
  };
}

/** Of the tests' own statements, in milliseconds. */
const OWN_LIMITS = {
  connectionTimeoutMillis: 30_000,
  answerLimitMs: 30_000,
  statement_timeout: 30_000,
  lock_timeout: 30_000,
};

/** Returns the service’s own data source if the service connects as the owner. */
async function ownerDataSource(environment: Environment, own: DataSource): Promise<DataSource> {
  if (environment['MIGRATIONS_DATABASE_URL'] === undefined) return own;
  const { url } = ownerDatabaseConfig(environment);
  const options = dataSourceOptions({ url, poolSize: 10 }, ONBOARDING_DATABASE);
  // a busy machine may exceed the service's time limits, which are not for the tests' own statements
  const extra = { ...(options.extra as object), ...OWN_LIMITS };
  return new DataSource({ ...options, extra }).initialize();
}

function storeSettings({ url, serviceUrl, owner }: TestDatabase): Environment {
  return {
    ...testRedisSettings(),
    DATABASE_URL: serviceUrl,
    MIGRATIONS_DATABASE_URL: url,
    SERVICE_DATABASE_ROLE: owner.serviceRole,
  };
}

export function testRedisSettings(): Environment {
  const redis = testRedis();
  return { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.keyPrefix };
}

/** Settings for the sandbox as all providers. */
export async function sandboxSettings(): Promise<Environment> {
  const { smtp } = await sandboxPorts();
  return {
    ...providerSettings(sandboxUrl()),
    SMS_PRIMARY_URL: `${sandboxUrl()}/providers/sms/primary/messages`,
    SMS_FALLBACK_URL: `${sandboxUrl()}/providers/sms/fallback/messages`,
    MAIL_SMTP_URL: `smtp://127.0.0.1:${smtp}`,
  };
}
