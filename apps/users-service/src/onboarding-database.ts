import type { DatabaseDefinition } from '@fd/platform';
import { MIGRATIONS, PARTITIONED_TABLES } from './core/index.js';
import { Partner } from './identity/index.js';

/** Everything this service keeps in PostgreSQL. */
export const ONBOARDING_DATABASE: DatabaseDefinition = {
  schema: 'onboarding',
  entities: [Partner],
  migrations: MIGRATIONS,
  partitioned: PARTITIONED_TABLES,
};
