import {
  checkedTogether,
  commonProblems,
  type DatabaseConfig,
  databaseConfig,
  type Environment,
  httpConfig,
  httpSettings,
  isGuessable,
  loadConfig,
  namedKeys,
  ownerDatabaseConfig,
  secret,
  setting,
  storeConfig,
  storeSettings,
} from '@fd/platform';
import { z } from 'zod';

const settings = z.object({
  ...httpSettings,
  ...storeSettings,
  PORT: setting.int(0, 65_535).default(3_002),
  // calls wait for nothing here: more in parallel would only delay all of them
  MAX_REQUESTS_IN_FLIGHT: setting.int(1, 10_000).default(50),
  /** Key for hashes of addresses in Redis. The default is public; production has none. */
  RATE_LIMIT_SECRET: secret.optional(),
  /** Those of users-service; the first signs fact sheets. */
  FACT_SHEET_KEYS: namedKeys.optional(),
  CATALOGUE_POLL_SECONDS: setting.int(1, 3_600).default(2),
});

const checkedSettings = checkedTogether(settings, function* (given) {
  yield* commonProblems(given);
  const { NODE_ENV, RATE_LIMIT_SECRET: bytes } = given;
  if (NODE_ENV === 'production' && (!Buffer.isBuffer(bytes) || isGuessable(bytes)))
    yield [
      'RATE_LIMIT_SECRET',
      'must be set in production, to base64 of at least 32 random bytes of your own',
    ];
  const isGuessed = given.FACT_SHEET_KEYS?.some(({ bytes: key }) => isGuessable(key)) ?? false;
  if (NODE_ENV === 'production' && isGuessed)
    yield ['FACT_SHEET_KEYS', 'must be random bytes of your own in production'];
});

const DEVELOPMENT_SECRET = Buffer.alloc(32);

export const MASTER_SETTINGS = Object.keys(settings.shape);

/**
 * Reads and checks the settings of the service.
 * @throws ConfigError with all problems
 */
export function masterConfig(env: Environment) {
  const given = loadConfig(checkedSettings, env);
  const http = httpConfig(given);
  return {
    http,
    ...storeConfig(given),
    rateLimitSecret: given.RATE_LIMIT_SECRET ?? DEVELOPMENT_SECRET,
    factSheetKey: given.FACT_SHEET_KEYS?.[0],
    catalogue: { pollSeconds: given.CATALOGUE_POLL_SECONDS },
  };
}

/** Commands that write connect as the owner: the role of the service may only read. */
export const commandDatabaseConfig = (env: Environment): DatabaseConfig =>
  env['MIGRATIONS_DATABASE_URL'] === undefined ? databaseConfig(env) : ownerDatabaseConfig(env);

export type MasterConfig = Readonly<ReturnType<typeof masterConfig>>;

export const environment: Environment = process.env;
