import { statement } from '@fd/platform';

/** Adds an event, given as JSON by column: see `columnsOf`. Raw: nearly every call runs it. */
export const ADD_EVENT = statement(
  { event: 'json' },
  'INSERT INTO onboarding.audit_unsealed SELECT * FROM json_populate_record(NULL::onboarding.audit_unsealed, :event)',
);

/** Moves events into the chain. Raw: only a function of the owner may. See docs/adr/0026-two-roles-of-the-database.md. */
export const SEAL_EVENTS = statement(
  { ids: 'uuid[]', seqs: 'int8[]', hashes: 'text[]', sealedAt: 'timestamptz' },
  'SELECT FROM onboarding.seal_audit_events(:ids, :seqs, :hashes, :sealedAt)',
);

/** Key of the advisory lock under which the chain changes. Any number that all replicas share. */
const LOCK_KEY = 7_402_001;

/** Locks the chain until the transaction ends, unless another one has it. Raw, as the next one: TypeORM has no advisory locks. */
export const TRY_LOCK_CHAIN = statement({}, `SELECT pg_try_advisory_xact_lock(${LOCK_KEY}) AS "isLocked"`, {
  isLocked: 'bool',
});

export const LOCK_CHAIN = statement({}, `SELECT FROM pg_advisory_xact_lock(${LOCK_KEY})`);
