import type { DatabaseDefinition } from '@fd/platform';
import { migrations, Partitions } from './core/index.js';
import { Partner } from './identity/index.js';

/** The time at the end of a migration's name, in milliseconds. */
const timeOf = ({ name }: { readonly name: string }): number => Number(name.slice(-13));

/** Everything this service keeps in PostgreSQL. */
export const ONBOARDING_DATABASE: DatabaseDefinition = {
  schema: 'onboarding',
  entities: [Partner],
  migrations: Object.values(migrations).sort((a, b) => timeOf(a) - timeOf(b)),
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
  ownerFunctions: ['seal_audit_events'],
  afterMigrations: async (database) => {
    const { failures } = await new Partitions(database).makeAhead();
    return failures.length > 0 ? `partitions are missing: ${failures.join('; ')}` : undefined;
  },
};
