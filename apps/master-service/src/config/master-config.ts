import {
  commonRules,
  type Environment,
  httpConfig,
  httpSettings,
  isGuessable,
  loadConfig,
  rule,
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
  // nothing here waits for anybody: more at once would only make all of them later
  MAX_REQUESTS_IN_FLIGHT: setting.int(1, 10_000).default(50),
  /** Key of the hashes by which addresses are counted in Redis. Default: one that everybody knows, none in production. */
  RATE_LIMIT_SECRET: secret.optional(),
  CATALOGUE_POLL_SECONDS: setting.int(1, 3_600).default(2),
});

const checkedSettings = commonRules
  .reduce((schema, [isKept, options]) => schema.refine(isKept, options), settings)
  .refine(
    ({ NODE_ENV, RATE_LIMIT_SECRET: bytes }) =>
      NODE_ENV !== 'production' || (Buffer.isBuffer(bytes) && !isGuessable(bytes)),
    rule('RATE_LIMIT_SECRET', 'must be set in production, to base64 of at least 32 random bytes of your own'),
  );

const DEVELOPMENT_SECRET = Buffer.alloc(32);

export const MASTER_SETTINGS = Object.keys(settings.shape);

/**
 * The settings of the service, read and checked once.
 * @throws ConfigError naming every problem at once
 */
export function masterConfig(env: Environment) {
  const given = loadConfig(checkedSettings, env);
  return {
    http: httpConfig(given),
    ...storeConfig(given),
    rateLimitSecret: given.RATE_LIMIT_SECRET ?? DEVELOPMENT_SECRET,
    cataloguePollSeconds: given.CATALOGUE_POLL_SECONDS,
  };
}

export type MasterConfig = Readonly<ReturnType<typeof masterConfig>>;

export const environment: Environment = process.env;
