import type { DatabaseDefinition } from '@fd/platform';
import { MIGRATIONS, PARTITIONED_TABLES } from './core/index.js';
import { Partner } from './identity/index.js';

/** Everything this service keeps in PostgreSQL. */
export const ONBOARDING_DATABASE: DatabaseDefinition = {
  schema: 'onboarding',
  entities: [Partner],
  migrations: MIGRATIONS,
  // an attacker in the service can only add to append-only tables
  restricted: {
    audit_unsealed: ['SELECT', 'INSERT'],
    audit_events: ['SELECT'],
    audit_checkpoints: ['SELECT'],
    journey_events: ['SELECT', 'INSERT'],
    // deleted only with their user
    accepted_declarations: ['SELECT', 'INSERT', 'DELETE'],
    // triggers say which changes of these, of consents and of waivers there are
    erased_users: ['SELECT', 'INSERT', 'UPDATE'],
  },
  partitioned: PARTITIONED_TABLES,
};
