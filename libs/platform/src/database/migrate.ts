import { DataSource } from 'typeorm';
import type { DatabaseConfig } from '../config/common-settings.js';
import type { DatabaseDefinition } from './database.module.js';
import { commandOptions } from './with-database.js';

/** A migration that waits for a table holds up everybody behind it: it fails soon, and is run again. */
const LOCK_TIMEOUT_MS = 5_000;

/** Any two numbers, as long as both services and all replicas agree: the key of the advisory lock. */
const LOCK_CLASS = 7_401;

/**
 * Applies the migrations that are due, each in its own transaction. Several replicas may call it at once: one
 * works, the others wait and then find nothing to do.
 * @returns names of the migrations that were applied by this call
 */
export async function migrate(config: DatabaseConfig, definition: DatabaseDefinition): Promise<string[]> {
  // one connection holds the lock, one works
  const options = commandOptions(config, definition, 2);
  const dataSource = new DataSource({
    ...options,
    extra: { ...(options.extra as object), lock_timeout: LOCK_TIMEOUT_MS },
  });
  await dataSource.initialize();
  const lock = dataSource.createQueryRunner();
  try {
    // whoever migrates at the same time is waited for
    await lock.query('SET lock_timeout = 0');
    await lock.query('SELECT pg_advisory_lock($1, hashtext($2))', [LOCK_CLASS, definition.schema]);
    await lock.query(`CREATE SCHEMA IF NOT EXISTS "${definition.schema}"`);
    const applied = await dataSource.runMigrations({ transaction: 'each' });
    return applied.map((migration) => migration.name);
  } finally {
    // closing the connection gives the lock back
    await lock.release();
    await dataSource.destroy();
  }
}
