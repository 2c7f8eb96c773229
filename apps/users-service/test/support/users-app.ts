import { type Environment, migrate } from '@fd/platform';
import { createTestDatabase, startTestApp, type TestApp, type TestDatabase, testRedis } from '@fd/testing';
import { DataSource } from 'typeorm';
import { AppModule } from '../../src/app.module.js';
import { usersConfig } from '../../src/config/users-config.js';
import { ONBOARDING_DATABASE } from '../../src/onboarding-database.js';
import { USERS_SERVICE } from '../../src/service.js';
import { FakeClock } from './fake-clock.js';
import { aPartner, type TestPartner } from './partner.js';
import { sandboxPorts, sandboxUrl } from './sandbox.config.js';
import { providerSettings, settings } from './settings.js';

/** One running replica of the service. */
export interface UsersApp extends TestApp {
  readonly dataSource: DataSource;
  readonly clock: FakeClock;
  readonly environment: Environment;
}

export interface TestService extends UsersApp {
  readonly partner: TestPartner;
  /** A second replica on the same stores with the same secrets. */
  replica(overrides?: Environment): Promise<UsersApp>;
}

/** The service as it runs in production, on stores of its own and with the sandbox as the outside world. */
export async function startService(overrides: Environment = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const environment = settings({ ...storeSettings(database), ...(await sandboxSettings()), ...overrides });
  await migrate(usersConfig(environment).database, ONBOARDING_DATABASE);
  const first = await startApp(environment);
  const replicas: UsersApp[] = [];
  return {
    ...first,
    partner: await aPartner(first.dataSource),
    replica: async (more = {}) => {
      const replica = await startApp({ ...environment, ...more });
      replicas.push(replica);
      return replica;
    },
    close: async () => {
      for (const started of [first, ...replicas]) await started.close();
      await database.drop();
    },
  };
}

export async function startApp(environment: Environment): Promise<UsersApp> {
  const config = usersConfig(environment);
  const clock = new FakeClock();
  const started = await startTestApp(AppModule.forRoot(config), config.http, USERS_SERVICE, clock);
  return { ...started, dataSource: started.app.get(DataSource), clock, environment };
}

function storeSettings(database: TestDatabase): Environment {
  const redis = testRedis();
  return { DATABASE_URL: database.url, REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.keyPrefix };
}

async function sandboxSettings(): Promise<Environment> {
  const { smtp } = await sandboxPorts();
  return {
    ...providerSettings(sandboxUrl()),
    SMS_PRIMARY_URL: `${sandboxUrl()}/providers/sms/primary/messages`,
    SMS_FALLBACK_URL: `${sandboxUrl()}/providers/sms/fallback/messages`,
    MAIL_SMTP_URL: `smtp://127.0.0.1:${smtp}`,
  };
}
