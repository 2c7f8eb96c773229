import { statement } from '@fd/platform';

/** Columns of `otp_counts` with the times of counted events. */
export type List = 'sends' | 'wrong_checks';

const COUNTED = {
  index: 'bytea',
  at: 'timestamptz?',
  aheadSeconds: 'float8',
  maxSends: 'int4',
  maxWrong: 'int4',
} as const;

/** Time in milliseconds, from Redis or else from PostgreSQL; only tests set `aheadSeconds`. */
const NOW = `date_trunc('milliseconds', coalesce(:at, statement_timestamp() + make_interval(secs => :aheadSeconds)))`;

const MAX = { sends: ':maxSends', wrong_checks: ':maxWrong' } as const;

/** Entries of a list that still count. */
const current = (list: List): string =>
  `ARRAY(SELECT t FROM unnest(c.${list}) t WHERE t > excluded.last_at - interval '24 hours')`;

const hasRoom = (list: List): string => `cardinality(${current(list)}) < ${MAX[list]}`;

/**
 * Each change is one statement that locks the row of a subject and reads its newest state, so that counts are exact across replicas. No
 * row if the wrong checks, or for a send the sends, are used up.
 */
const UPSERT = `INSERT INTO onboarding.otp_counts AS c (subject_index, last_at`;

export const COUNT_SEND = statement(
  COUNTED,
  `${UPSERT}, sends) VALUES (:index, ${NOW}, ARRAY[${NOW}])
   ON CONFLICT (subject_index) DO UPDATE SET sends = ${current('sends')} || excluded.last_at, last_at = excluded.last_at
    WHERE ${hasRoom('sends')} AND ${hasRoom('wrong_checks')}
   RETURNING last_at AS at`,
  { at: 'timestamptz' },
);

const { maxSends: _, ...CHECKED } = COUNTED;

export const COUNT_WRONG_CHECK = statement(
  CHECKED,
  `${UPSERT}, wrong_checks) VALUES (:index, ${NOW}, ARRAY[${NOW}])
   ON CONFLICT (subject_index) DO UPDATE SET wrong_checks = ${current('wrong_checks')} || excluded.last_at, last_at = excluded.last_at
    WHERE ${hasRoom('wrong_checks')}
   RETURNING last_at AS at`,
  { at: 'timestamptz' },
);

/** Clears the wrong checks; the sends of the day stay counted. Fails if the wrong checks are used up (`isRowMissing`). */
export const CLEAR_WRONG_CHECKS = statement(
  CHECKED,
  `WITH cleared AS (
     ${UPSERT}, sends) VALUES (:index, ${NOW}, '{}')
     ON CONFLICT (subject_index) DO UPDATE SET wrong_checks = '{}', last_at = excluded.last_at WHERE ${hasRoom('wrong_checks')}
     RETURNING subject_index
   )
   SELECT (1 / count(*))::int AS cleared FROM cleared`,
  { cleared: 'int4' },
);

const waitMs = (list: List): string =>
  `(SELECT (extract(epoch FROM t + interval '24 hours' - ${NOW}) * 1000)::float8
      FROM unnest(c.${list}) t ORDER BY t DESC OFFSET ${MAX[list]} - 1 LIMIT 1)`;

/** Milliseconds until a full list has room; null if it has room. */
export const UNTIL_ROOM = statement(
  COUNTED,
  `SELECT ${waitMs('sends')} AS sends, ${waitMs('wrong_checks')} AS "wrongChecks"
     FROM onboarding.otp_counts c WHERE subject_index = :index`,
  { sends: 'float8?', wrongChecks: 'float8?' },
);

/** Removes one send with this time. */
export const UNCOUNT_SEND = statement(
  { index: 'bytea', at: 'timestamptz' },
  `UPDATE onboarding.otp_counts
      SET sends = sends[1 : array_position(sends, :at) - 1] || sends[array_position(sends, :at) + 1 : cardinality(sends)]
    WHERE subject_index = :index AND :at = ANY (sends)`,
);
