import { PanErrors } from '@fd/errors';
import { auditRow, SETTLED } from '../../core/index.js';
import { applyEvent, fullStep, NEW_STATE } from '../../journey/index.js';
import { type CountedRows, fullDay, giveConsent, withdrawnBeside } from '../../identity/index.js';
import { IDENTITY, IDENTITY_COLUMNS } from './sealed-identity.js';

/**
 * Keeps the identity of the user in $1, if any, until the transaction ends: a release of the PAN waits. Runs before the
 * locks of the user's bank accounts, as in a release.
 */
export const LOCK_IDENTITY = 'SELECT FROM onboarding.identities WHERE user_id = $1 FOR SHARE';

/** Each look-up is charged. */
const LOOKUPS: CountedRows = { table: 'pan_lookups', time: 'started_at', max: 10 };

/** Assignments of an UPDATE that ends a check and clears its query. */
const ENDED = `claim_index = NULL, claim_encrypted = NULL, ${SETTLED}`;

/**
 * Begins a check, leased by its caller: records the consent, counts the look-up and writes its audit events, unless the
 * user has an identity, the same check is running, the day's look-ups are used up, or a required consent is not in
 * force. Runs after LOCK_USER in its transaction, to see earlier writes.
 * $1 user, $2 check and look-up, $3 consent, $4 hash of the address, $5 session,
 * $6 and $7 rows of the audit trail: the consent if it is a new one, and the look-up,
 * $8 index of the claim, $9 the claim, $10 seconds of the lease
 */
export const BEGIN_CHECK = `
WITH known AS (
  SELECT ${IDENTITY} FROM onboarding.identities WHERE user_id = $1
), full_day AS (
  -- uncounted look-ups still change the step
  (${fullDay(LOOKUPS)}) UNION ALL (${fullStep('$1', 'PAN')})
), under_way AS (
  SELECT id FROM onboarding.pan_checks WHERE user_id = $1 AND claim_index = $8 AND state = 'DUE'
), caller AS (
  SELECT partner_id FROM onboarding.sessions WHERE id = $5 AND user_id = $1
), consent AS (
  ${giveConsent({
    purpose: 'PAN_VERIFICATION',
    id: '$3',
    user: '$1',
    partner: 'partner_id',
    ipHash: '$4',
    from: 'caller',
  })}
), withdrawn AS (
  ${withdrawnBeside('PAN_VERIFICATION', {
    user: '$1',
    partners: 'caller',
    given: 'consent',
    purposes: "ARRAY['TERMS_OF_USE', 'PAN_VERIFICATION']",
  })}
), lookup AS (
  INSERT INTO onboarding.pan_lookups (id, user_id, started_at)
  SELECT $2, $1, clock_timestamp()
   WHERE NOT EXISTS (SELECT FROM known) AND NOT EXISTS (SELECT FROM under_way) AND NOT EXISTS (SELECT FROM full_day)
     AND NOT EXISTS (SELECT FROM withdrawn)
  RETURNING id, started_at + make_interval(secs => $10) AS until
), made AS (
  INSERT INTO onboarding.pan_checks (id, user_id, claim_index, claim_encrypted, next_try_at, lease_id, leased_until)
  SELECT id, $1, $8, $9, until, id, until FROM lookup
), ${applyEvent('$1', 'PAN', 'STARTED', 'EXISTS (SELECT FROM lookup)', `'${PanErrors.pending.code}'::text`)}, audited AS (
  INSERT INTO onboarding.audit_unsealed
  SELECT e.* FROM consent, ${auditRow('$6')} e UNION ALL SELECT e.* FROM lookup, ${auditRow('$7')} e
)
-- one column, because the driver describes each column of each answer
SELECT (SELECT to_json(known) FROM known) AS known, (SELECT id FROM under_way) AS "underWay",
       (SELECT max(seconds) FROM full_day) AS "waitSeconds", EXISTS (SELECT FROM withdrawn) AS "isWithdrawn",
       ${NEW_STATE} AS "newState"`;

/**
 * Stores an identity, completes the step and ends its check, unless the user has an identity or another user has its
 * PAN: the unique indexes decide. An identity that arrives after its check was given up still counts.
 * $1 user, $2 verification and check, $3 index of the PAN, $4 PAN, $5 date of birth, $6 names, $7 state of the PAN,
 * $8 whether Aadhaar is linked, $9 whether the date of birth was compared, $10 row of the audit trail; no row: nothing was stored
 */
export const KEEP_IDENTITY = `
WITH kept AS (
  INSERT INTO onboarding.identities (${IDENTITY_COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING verified_at
), ${applyEvent('$1', 'PAN', 'COMPLETED', 'EXISTS (SELECT FROM kept)')}, ended AS (
  UPDATE onboarding.pan_checks SET state = 'VERIFIED', refusal = NULL, ${ENDED}
   WHERE id = $2 AND EXISTS (SELECT FROM kept)
), audited AS (
  INSERT INTO onboarding.audit_unsealed SELECT e.* FROM kept, ${auditRow('$10')} e
)
SELECT verified_at AS "verifiedAt", ${NEW_STATE} AS "newState" FROM kept`;

/**
 * Ends an open check, and fails the step if it is refused.
 * $1 check, $2 code of the refusal, or null when the user's identity confirms it, $3 whether its look-up does not count
 */
export const END_CHECK = `
WITH ended AS (
  UPDATE onboarding.pan_checks
     SET state = CASE WHEN $2::text IS NULL THEN 'VERIFIED' ELSE 'REFUSED' END, refusal = $2::text, ${ENDED}
   WHERE id = $1 AND state = 'DUE' RETURNING id, user_id
), given_back AS (
  DELETE FROM onboarding.pan_lookups USING ended WHERE pan_lookups.id = ended.id AND $3::boolean
), ${applyEvent('(SELECT user_id FROM ended)', 'PAN', 'FAILED', 'EXISTS (SELECT FROM ended WHERE $2::text IS NOT NULL)', '$2::text')}
SELECT ${NEW_STATE} AS "newState" FROM ended`;
