import { Writable } from 'node:stream';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import {
  apiDocument,
  Clock,
  configureApp,
  createLogger,
  type Environment,
  ExpressServerAdapter,
  migrate,
  NEST_OPTIONS,
  NestLogger,
} from '@fd/platform';
import { ApiClient, createTestDatabase, DocumentedAnswers, type TestDatabase, testRedis } from '@fd/testing';
import { DataSource } from 'typeorm';
import { AppModule } from '../../src/app.module.js';
import { usersConfig } from '../../src/config/users-config.js';
import { ONBOARDING_DATABASE } from '../../src/database/definition.js';
import { USERS_SERVICE } from '../../src/service.js';
import { FakeClock } from './fake-clock.js';
import { aPartner, type TestPartner } from './partner.js';
import { sandboxUrl } from './sandbox.config.js';
import { settings } from './settings.js';

/** One running replica of the service. */
export interface UsersApp {
  readonly app: NestExpressApplication;
  readonly api: ApiClient;
  readonly dataSource: DataSource;
  readonly clock: FakeClock;
  readonly environment: Environment;
  /** Everything that the replicas of this file have logged so far: Nest has one logger for a whole process. */
  readonly logs: () => string;
  close(): Promise<void>;
}

export interface TestService extends UsersApp {
  readonly partner: TestPartner;
  /** A second replica on the same stores with the same secrets. */
  replica(overrides?: Environment): Promise<UsersApp>;
}

const lines: string[] = [];
const sink = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(chunk.toString());
    done();
  },
});

/** The service as it runs in production, on stores of its own and with the sandbox as the outside world. */
export async function startService(overrides: Environment = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const environment = settings({ ...storeSettings(database), ...smsSettings(), ...overrides });
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
  const logger = createLogger(USERS_SERVICE.name, 'debug', sink);
  const clock = new FakeClock();
  const module = await Test.createTestingModule({ imports: [AppModule.forRoot(config)] })
    .overrideProvider(Clock)
    .useValue(clock)
    .setLogger(new NestLogger(logger))
    .compile();
  const app = module.createNestApplication<NestExpressApplication>(
    new ExpressServerAdapter(config.http),
    NEST_OPTIONS,
  );
  configureApp(app, config.http, USERS_SERVICE, { logger });
  await app.listen(0, '127.0.0.1');
  return {
    app,
    api: new ApiClient(app, new DocumentedAnswers(apiDocument(app, USERS_SERVICE.api))),
    dataSource: app.get(DataSource),
    clock,
    environment,
    logs: () => lines.join(''),
    close: () => app.close(),
  };
}

function storeSettings(database: TestDatabase): Environment {
  const redis = testRedis();
  return { DATABASE_URL: database.url, REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.keyPrefix };
}

function smsSettings(): Environment {
  return {
    SMS_PRIMARY_URL: `${sandboxUrl()}/providers/sms/primary/messages`,
    SMS_FALLBACK_URL: `${sandboxUrl()}/providers/sms/fallback/messages`,
  };
}
