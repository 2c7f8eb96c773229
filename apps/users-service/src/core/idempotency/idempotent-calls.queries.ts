import { DEADLINE_MS, timeLimit } from '@fd/envelope';
import { statement } from '@fd/platform';

/**
 * Age at which an unanswered call is considered dead, so that the next one may replace it. The claim starts after the
 * request, so its deadline has passed by then.
 */
const HELD_SECONDS = DEADLINE_MS / 1_000 + timeLimit(1);

/**
 * Claims a key for a call; no row if another call holds it. Raw: the unique index, with the condition on the row that is replaced, decides
 * who makes the call.
 */
export const CLAIM_CALL = statement(
  { id: 'uuid', callIndex: 'bytea', fingerprint: 'bytea', parts: 'bytea?', keptSeconds: 'float8' },
  `INSERT INTO onboarding.idempotent_calls AS c (id, call_index, fingerprint, part_digests, expires_at)
   VALUES (:id, :callIndex, :fingerprint, :parts, now() + make_interval(secs => :keptSeconds))
   ON CONFLICT (call_index) DO UPDATE
     SET id = excluded.id, fingerprint = excluded.fingerprint, part_digests = excluded.part_digests,
         started_at = now(), expires_at = excluded.expires_at, answer_encrypted = NULL
   WHERE c.expires_at < now()
      OR (c.answer_encrypted IS NULL
          AND (c.part_digests = excluded.part_digests OR c.fingerprint = excluded.fingerprint)
          AND c.started_at < now() - make_interval(secs => ${HELD_SECONDS}))
   RETURNING id`,
  { id: 'uuid' },
);

/** Notes a call that has no key by what it does; no row if it is noted already. Raw: as CLAIM_CALL. */
export const NOTE_CALL = statement(
  { id: 'uuid', callIndex: 'bytea', keptSeconds: 'float8' },
  `INSERT INTO onboarding.idempotent_calls AS c (id, call_index, fingerprint, expires_at)
   VALUES (:id, :callIndex, :callIndex, now() + make_interval(secs => :keptSeconds))
   ON CONFLICT (call_index) DO UPDATE SET id = excluded.id, started_at = now(), expires_at = excluded.expires_at
   WHERE c.expires_at < now()
   RETURNING id`,
  { id: 'uuid' },
);

/** The call that holds a key, with the seconds until its claim can be taken over. Raw: PostgreSQL's time. */
export const FIND_CALL = statement(
  { callIndex: 'bytea' },
  `SELECT id, fingerprint, part_digests AS parts, answer_encrypted AS answer,
          greatest(1, ceil(extract(epoch FROM started_at - now()) + ${HELD_SECONDS}))::int AS "retryAfterSeconds"
     FROM onboarding.idempotent_calls WHERE call_index = :callIndex`,
  { id: 'uuid', fingerprint: 'bytea', parts: 'bytea?', answer: 'text?', retryAfterSeconds: 'int4' },
);
