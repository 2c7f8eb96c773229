import { auditRow } from '../../core/index.js';
import { completeOnce } from '../../journey/index.js';

/**
 * All data of the profile. Reading it completes the step HOME, so the step, its history and the audit event
 * are written with it. $1 user, $2 row of the audit trail, or null
 */
export const READ_PROFILE = `
WITH ${completeOnce('$1', 'HOME', '(SELECT) one')}, audited AS (
  INSERT INTO onboarding.audit_unsealed SELECT * FROM ${auditRow('$2')} WHERE $2 IS NOT NULL
)
SELECT u.phone_encrypted AS phone, u.email_encrypted AS email,
       i.pan_encrypted AS pan, i.dob_encrypted AS dob, i.names_encrypted AS names,
       b.id AS "bankId", b.account_encrypted AS account, b.bank_name AS "bankName",
       -- an eKYC counts only if it was compared with the current verification of the PAN
       EXISTS (SELECT FROM onboarding.ekyc_requests
                WHERE user_id = $1 AND status = 'VERIFIED' AND compared_with IS NOT DISTINCT FROM i.verification_id)
         AS "isEkycVerified",
       (SELECT count(*)::int FROM onboarding.nominees WHERE user_id = $1) AS "nomineesCount",
       EXISTS (SELECT FROM step) AS "isFirst"
  FROM onboarding.users u
  LEFT JOIN onboarding.identities i ON i.user_id = u.id
  -- the latest account that is verified and compared with the PAN
  LEFT JOIN LATERAL (
    SELECT id, account_encrypted, bank_name FROM onboarding.bank_accounts
     WHERE user_id = u.id AND state = 'VERIFIED' AND is_compared ORDER BY asked_at DESC, id DESC LIMIT 1) b ON true
 WHERE u.id = $1`;
