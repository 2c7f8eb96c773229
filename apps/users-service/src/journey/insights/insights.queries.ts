import { statement } from '@fd/platform';

/** PostgreSQL's day, so that replicas agree on it. */
const TODAY = "(clock_timestamp() AT TIME ZONE 'UTC')::date";

/**
 * Counts a batch in the user's day, exact on any number of replicas; no row if it exceeds a limit of the day. Raw: the condition on the
 * row that is changed is the limit.
 */
export const COUNT_BATCH = statement(
  { userId: 'uuid', events: 'int4', maxEvents: 'int4', bytes: 'int4', maxBytes: 'int4' },
  `INSERT INTO onboarding.insight_days AS d (user_id, day, events, bytes) VALUES (:userId, ${TODAY}, :events, :bytes)
   ON CONFLICT (user_id, day) DO UPDATE SET events = d.events + :events, bytes = d.bytes + :bytes
     WHERE d.events + :events <= :maxEvents AND d.bytes + :bytes <= :maxBytes
   RETURNING day::text AS day`,
  { day: 'text' },
);

export const UNTIL_TOMORROW = statement(
  {},
  `SELECT greatest(1, ceil(extract(epoch FROM ((${TODAY} + 1)::timestamp AT TIME ZONE 'UTC') - clock_timestamp())))::int
            AS seconds`,
  { seconds: 'int4' },
);
