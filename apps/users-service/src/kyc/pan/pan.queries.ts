import { auditRow } from '../../core/index.js';
import { applyEvent, fullStep, NEW_STATE } from '../../journey/index.js';
import { type CountedRows, fullDay, giveConsent } from '../../identity/index.js';
import { IDENTITY, IDENTITY_COLUMNS } from './sealed-identity.js';

/** Each look-up is paid for. */
const LOOKUPS: CountedRows = { table: 'pan_lookups', time: 'started_at', max: 10 };

/**
 * Counts a look-up and writes what has to be on record before it, unless the user has an identity or has used up the day;
 * behind LOCK_USER in its transaction, since the count needs what those before it have written.
 * $1 user, $2 look-up, $3 consent, $4 hash of the address, $5 session,
 * $6 and $7 rows of the audit trail: the consent if it is a new one, and the look-up
 */
export const BEGIN_LOOKUP = `
WITH known AS (
  SELECT ${IDENTITY} FROM onboarding.identities WHERE user_id = $1
), full_day AS (
  -- look-ups that are given back change the step all the same
  (${fullDay(LOOKUPS)}) UNION ALL (${fullStep('$1', 'PAN')})
), lookup AS (
  INSERT INTO onboarding.pan_lookups (id, user_id, started_at)
  SELECT $2, $1, clock_timestamp() WHERE NOT EXISTS (SELECT FROM known) AND NOT EXISTS (SELECT FROM full_day)
  RETURNING id
), caller AS (
  SELECT partner_id FROM lookup, onboarding.sessions WHERE sessions.id = $5 AND user_id = $1
), consent AS (
  ${giveConsent({
    purpose: 'PAN_VERIFICATION',
    id: '$3',
    user: '$1',
    partner: 'partner_id',
    ipHash: '$4',
    from: 'caller',
  })}
), ${applyEvent('$1', 'PAN', 'STARTED', 'EXISTS (SELECT FROM lookup)')}, audited AS (
  INSERT INTO onboarding.audit_unsealed
  SELECT e.* FROM consent, ${auditRow('$6')} e UNION ALL SELECT e.* FROM lookup, ${auditRow('$7')} e
)
SELECT known.*, (SELECT max(seconds) FROM full_day) AS "waitSeconds", ${NEW_STATE} AS "newState"
  FROM (SELECT) one LEFT JOIN known ON true`;

/**
 * Keeps an identity and completes the step, unless the user has one or another user has its PAN: the unique indexes decide.
 * $1 user, $2 verification, $3 index of the PAN, $4 PAN, $5 date of birth, $6 names, $7 state of the PAN,
 * $8 whether Aadhaar is linked, $9 row of the audit trail; no row: nothing was kept
 */
export const KEEP_IDENTITY = `
WITH kept AS (
  INSERT INTO onboarding.identities (${IDENTITY_COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING verified_at
), ${applyEvent('$1', 'PAN', 'COMPLETED', 'EXISTS (SELECT FROM kept)')}, audited AS (
  INSERT INTO onboarding.audit_unsealed SELECT e.* FROM kept, ${auditRow('$9')} e
)
SELECT verified_at AS "verifiedAt", ${NEW_STATE} AS "newState" FROM kept`;
