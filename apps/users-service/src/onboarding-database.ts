import type { DatabaseDefinition } from '@fd/platform';
import { MIGRATIONS } from './core/index.js';
import { Partner, User } from './identity/index.js';

/** Everything this service keeps in PostgreSQL. */
export const ONBOARDING_DATABASE: DatabaseDefinition = {
  schema: 'onboarding',
  entities: [Partner, User],
  migrations: MIGRATIONS,
};
