import { statement } from '@fd/platform';

/** Maximum of look-ups of a user, each of which is charged, and of claims that differ from the user's identity, within 24 hours. */
export const MAX_LOOKUPS_PER_DAY = 10;

/**
 * What decides whether a user's check may begin: the user's identity as JSON, the same check if it is running, and the seconds until the
 * day has room for one more look-up. Runs after the lock of the user, to see earlier checks. Raw: each PAN check runs it.
 */
export const FIND_BEGINNING = statement(
  { userId: 'uuid', claimIndex: 'bytea' },
  `
SELECT (SELECT to_json(i) FROM (
          SELECT user_id AS "userId", verification_id AS "verificationId", pan_encrypted AS "panEncrypted",
                 dob_encrypted AS "dobEncrypted", names_encrypted AS "namesEncrypted", pan_status AS "panStatus",
                 aadhaar_seeding_status AS "aadhaarSeedingStatus", verified_at AS "verifiedAt",
                 is_dob_compared AS "isDobCompared"
            FROM onboarding.identities WHERE user_id = :userId) i) AS known,
       (SELECT id FROM onboarding.pan_checks
         WHERE user_id = :userId AND claim_index = :claimIndex AND state = 'DUE') AS "underWay",
       (SELECT greatest(1, ceil(extract(epoch FROM started_at + interval '24 hours' - clock_timestamp())))::int
          FROM onboarding.pan_lookups
         WHERE user_id = :userId AND started_at > clock_timestamp() - interval '24 hours'
           -- those of the verified PAN count for no guess
           AND started_at > coalesce((SELECT verified_at FROM onboarding.identities WHERE user_id = :userId), '-infinity')
         ORDER BY started_at DESC OFFSET ${MAX_LOOKUPS_PER_DAY - 1} LIMIT 1) AS "waitSeconds"`,
  { known: 'json?', underWay: 'uuid?', waitSeconds: 'int4?' },
);

/** Counts a look-up and begins its check, leased by the caller. Raw: one statement for both tables, and PostgreSQL's time. */
export const ADD_CHECK = statement(
  { id: 'uuid', userId: 'uuid', claimIndex: 'bytea', claim: 'text', leaseSeconds: 'float8' },
  `
WITH lookup AS (
  INSERT INTO onboarding.pan_lookups (id, user_id, started_at) VALUES (:id, :userId, clock_timestamp())
  RETURNING started_at + make_interval(secs => :leaseSeconds) AS until
)
INSERT INTO onboarding.pan_checks (id, user_id, claim_index, claim_encrypted, next_try_at, lease_id, leased_until)
SELECT :id, :userId, :claimIndex, :claim, until, :id, until FROM lookup`,
);

/** Assignments of an UPDATE that ends a check and clears its query. */
const ENDED =
  'claim_index = NULL, claim_encrypted = NULL, tries = 0, settled_at = now(), lease_id = NULL, leased_until = NULL';

/** What a row of a registry's answer holds: texts encrypted for their table. */
const ANSWER = {
  userId: 'uuid',
  verificationId: 'uuid',
  panIndex: 'bytea',
  pan: 'text',
  dob: 'text',
  names: 'text',
  panStatus: 'text',
  aadhaarSeedingStatus: 'text',
} as const;

const ANSWER_COLUMNS = `user_id, verification_id, pan_index, pan_encrypted, dob_encrypted, names_encrypted, pan_status,
  aadhaar_seeding_status`;
const ANSWER_VALUES =
  ':userId, :verificationId, :panIndex, :pan, :dob, :names, :panStatus, :aadhaarSeedingStatus';

/**
 * Stores an identity and ends its check, unless the user has an identity or another user has its PAN: the unique indexes decide. An
 * identity that arrives after its check was given up still counts, and that of a refused claim that takes the PAN over. No row: nothing was
 * stored.
 */
export const KEEP_IDENTITY = statement(
  { ...ANSWER, isDobCompared: 'bool' },
  `
WITH kept AS (
  INSERT INTO onboarding.identities (${ANSWER_COLUMNS}, is_dob_compared) VALUES (${ANSWER_VALUES}, :isDobCompared)
  ON CONFLICT DO NOTHING RETURNING verified_at
), ended AS (
  UPDATE onboarding.pan_checks SET state = 'VERIFIED', refusal = NULL, ${ENDED}
   WHERE id = :verificationId AND EXISTS (SELECT FROM kept)
)
SELECT verified_at AS "verifiedAt" FROM kept`,
  { verifiedAt: 'timestamptz' },
);

/**
 * Stores or replaces the claim of a user to a PAN of another one. The same PAN again replaces only the verification `uncompared`. Raw: the
 * condition on the row that is replaced.
 */
export const CONTEST_IDENTITY = statement(
  { ...ANSWER, uncompared: 'uuid?' },
  `INSERT INTO onboarding.contested_identities AS c (${ANSWER_COLUMNS}) VALUES (${ANSWER_VALUES})
   ON CONFLICT (user_id) DO UPDATE SET (${ANSWER_COLUMNS}, verified_at) = ROW (excluded.*)
    WHERE c.pan_index <> excluded.pan_index OR c.verification_id = :uncompared`,
);

/**
 * Ends an open check: as refused with a code, or as confirmed by the user's identity; gives its look-up back if it does not count. No row
 * if it has ended already.
 */
export const END_CHECK = statement(
  { id: 'uuid', refusal: 'text?', isFree: 'bool' },
  `
WITH ended AS (
  UPDATE onboarding.pan_checks
     SET state = CASE WHEN :refusal::text IS NULL THEN 'VERIFIED' ELSE 'REFUSED' END, refusal = :refusal, ${ENDED}
   WHERE id = :id AND state = 'DUE' RETURNING id, user_id
), given_back AS (
  DELETE FROM onboarding.pan_lookups USING ended WHERE pan_lookups.id = ended.id AND :isFree
)
SELECT user_id AS "userId" FROM ended`,
  { userId: 'uuid' },
);
