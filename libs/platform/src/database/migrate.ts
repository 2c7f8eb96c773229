import { DataSource } from 'typeorm';
import type { DatabaseConfig } from '../config/common-settings.js';
import type { DatabaseDefinition } from './database.module.js';
import { commandOptions } from './with-database.js';

/** Any two numbers, as long as both services and all replicas agree: the key of the advisory lock. */
const LOCK_CLASS = 7_401;

/**
 * Applies the migrations that are due, each in its own transaction. Several replicas may call it at once: one
 * works, the others wait and then find nothing to do.
 * @returns names of the migrations that were applied by this call
 */
export async function migrate(config: DatabaseConfig, definition: DatabaseDefinition): Promise<string[]> {
  // one connection holds the lock, one works
  const dataSource = new DataSource(commandOptions(config, definition, 2));
  await dataSource.initialize();
  const lock = dataSource.createQueryRunner();
  try {
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
