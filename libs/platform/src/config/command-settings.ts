import { z } from 'zod';
import {
  checkedTogether,
  type DatabaseConfig,
  databaseProblems,
  httpSettings,
  storeSettings,
} from './common-settings.js';
import { type Environment, loadConfig } from './load-config.js';

/** Connection URL of the schema's owner. */
export type OwnerConfig = DatabaseConfig & {
  /** Role of the service, which gets its rights from the owner; undefined if the service connects as the owner. */
  readonly serviceRole?: string | undefined;
};

const commandSettings = z.object({
  NODE_ENV: httpSettings.NODE_ENV,
  NODE_TLS_REJECT_UNAUTHORIZED: httpSettings.NODE_TLS_REJECT_UNAUTHORIZED,
  DATABASE_URL: storeSettings.DATABASE_URL,
  DATABASE_POOLER: storeSettings.DATABASE_POOLER,
  PRIVATE_NETWORK: storeSettings.PRIVATE_NETWORK,
});

export const isProduction = (env: Environment): boolean =>
  loadConfig(z.object({ NODE_ENV: httpSettings.NODE_ENV }), env).NODE_ENV === 'production';

export function databaseConfig(env: Environment): DatabaseConfig {
  const schema = checkedTogether(commandSettings, databaseProblems);
  const { DATABASE_URL, DATABASE_POOLER } = loadConfig(schema, env);
  return { url: DATABASE_URL, poolSize: 1, isPooled: DATABASE_POOLER === 'transaction' };
}

const ownerSettings = checkedTogether(
  commandSettings.extend({
    DATABASE_URL: storeSettings.DATABASE_URL.optional(),
    MIGRATIONS_DATABASE_URL: storeSettings.DATABASE_URL.optional(),
    SERVICE_DATABASE_ROLE: z.string().min(1).max(63).optional(),
  }),
  function* (given) {
    const { DATABASE_URL: own, MIGRATIONS_DATABASE_URL: owner, SERVICE_DATABASE_ROLE: role } = given;
    yield* databaseProblems(given);
    if ((own ?? owner) === undefined) yield ['MIGRATIONS_DATABASE_URL', 'is not set, nor is DATABASE_URL'];
    if (given.DATABASE_POOLER === 'transaction' && owner === undefined)
      yield ['MIGRATIONS_DATABASE_URL', 'must be set with DATABASE_POOLER=transaction, to PostgreSQL itself'];
    // without the role, a service with a role of its own would lack its rights
    if ((owner === undefined) !== (role === undefined))
      yield ['SERVICE_DATABASE_ROLE', 'must be set together with MIGRATIONS_DATABASE_URL'];
  },
);

/** Settings of commands of the schema owner. With DATABASE_URL alone the service connects as the owner. */
export function ownerDatabaseConfig(env: Environment): OwnerConfig {
  const { DATABASE_URL, MIGRATIONS_DATABASE_URL, SERVICE_DATABASE_ROLE } = loadConfig(ownerSettings, env);
  const url = (MIGRATIONS_DATABASE_URL ?? DATABASE_URL)!;
  return { url, poolSize: 1, isPooled: false, serviceRole: SERVICE_DATABASE_ROLE };
}
