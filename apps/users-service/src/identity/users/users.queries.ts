import { statement } from '@fd/platform';

/**
 * Locks a user until the transaction ends, which serialises the user's calls and makes their counts exact on all replicas; rows that refer
 * to the user can be written meanwhile. Raw: each PAN check runs it.
 */
export const LOCK_USER = statement(
  { userId: 'uuid' },
  'SELECT id FROM onboarding.users WHERE id = :userId FOR NO KEY UPDATE',
  { id: 'uuid' },
);

/**
 * Keeps a user unblocked until the transaction ends; fails if an operator has blocked the user, or the account was given up
 * (`isRowMissing`). Raw: each login runs it.
 */
export const HOLD_USER = statement(
  { userId: 'uuid' },
  `WITH held AS (
     SELECT id FROM onboarding.users WHERE id = :userId AND blocked_at IS NULL AND phone_released_at IS NULL FOR KEY SHARE
   )
   SELECT (1 / count(*))::int AS held FROM held`,
  { held: 'int4' },
);

/**
 * Adds a user, and notes whether the phone was that of an account that was given up; fails if a parallel first login has added the phone
 * (`isRowMissing`). Raw: each first login runs it.
 */
export const ADD_USER = statement(
  { userId: 'uuid', phoneIndex: 'bytea', phone: 'text', aheadSeconds: 'float8' },
  `WITH added AS (
     INSERT INTO onboarding.users (id, phone_index, phone_encrypted, last_login_at, is_phone_reused)
     VALUES (:userId, :phoneIndex, :phone, now() + make_interval(secs => :aheadSeconds),
             EXISTS (SELECT FROM onboarding.users former WHERE former.released_phone_index = :phoneIndex))
     ON CONFLICT (phone_index) DO NOTHING RETURNING id
   )
   SELECT (1 / count(*))::int AS added FROM added`,
  { added: 'int4' },
);

/** Notes a login, unless one was noted within a day: most logins write nothing. Raw: each login runs it, and PostgreSQL's time decides. */
export const NOTE_LOGIN = statement(
  { userId: 'uuid', aheadSeconds: 'float8' },
  `UPDATE onboarding.users SET last_login_at = now() + make_interval(secs => :aheadSeconds)
    WHERE id = :userId AND last_login_at < now() + make_interval(secs => :aheadSeconds) - interval '1 day'`,
);
