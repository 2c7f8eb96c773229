import { statement } from '@fd/platform';

/** Adds an event, given as JSON by column: see `columnsOf`. Raw: nearly every call runs it. */
export const ADD_EVENT = statement(
  { event: 'json' },
  'INSERT INTO onboarding.audit_unsealed SELECT * FROM json_populate_record(NULL::onboarding.audit_unsealed, :event)',
);
