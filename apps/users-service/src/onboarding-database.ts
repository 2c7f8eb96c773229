import type { DatabaseDefinition } from '@fd/platform';
import { APPLICATION_ENTITIES } from './application/index.js';
import { BANK_CALLS, BANKING_ENTITIES } from './banking/index.js';
import { CORE_ENTITIES, migrations, Partitions } from './core/index.js';
import { EVENTS_ENTITIES } from './events/index.js';
import { IDENTITY_ENTITIES, MAIL_NOTICES } from './identity/index.js';
import { INTEGRATIONS_ENTITIES } from './integrations/index.js';
import { JOURNEY_ENTITIES } from './journey/index.js';
import { KYC_CALLS, KYC_ENTITIES } from './kyc/index.js';

/** Every kind of durable call, for operators. */
export const CALL_KINDS = [...BANK_CALLS, ...KYC_CALLS, MAIL_NOTICES];

/** The time at the end of a migration's name, in milliseconds. */
const timeOf = ({ name }: { readonly name: string }): number => Number(name.slice(-13));

/** Everything this service keeps in PostgreSQL. */
export const ONBOARDING_DATABASE: DatabaseDefinition = {
  schema: 'onboarding',
  entities: [
    ...APPLICATION_ENTITIES,
    ...BANKING_ENTITIES,
    ...CORE_ENTITIES,
    ...EVENTS_ENTITIES,
    ...IDENTITY_ENTITIES,
    ...INTEGRATIONS_ENTITIES,
    ...JOURNEY_ENTITIES,
    ...KYC_ENTITIES,
  ],
  migrations: Object.values(migrations).sort((a, b) => timeOf(a) - timeOf(b)),
  // an attacker in the service can only add to append-only tables
  restricted: {
    users_on_hold: ['SELECT'],
    pan_holders: ['SELECT'],
    profiles: ['SELECT'],
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
  afterMigrations: async (dataSource) => {
    const { failures } = await new Partitions(dataSource).makeAhead();
    return failures.length > 0 ? `partitions are missing: ${failures.join('; ')}` : undefined;
  },
};
