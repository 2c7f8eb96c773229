import { statement } from '@fd/platform';

/** All data of the profile. Raw and over the tables of several owners: each visit of the app runs it. */
export const READ_PROFILE = statement(
  { userId: 'uuid' },
  `
SELECT u.phone_encrypted AS phone, u.email_encrypted AS email,
       i.pan_encrypted AS pan, i.dob_encrypted AS dob, i.names_encrypted AS names,
       b.id AS "bankId", b.account_encrypted AS account, b.bank_name AS "bankName",
       -- an eKYC counts only if it was compared with the current verification of the PAN
       EXISTS (SELECT FROM onboarding.ekyc_requests
                WHERE user_id = :userId AND status = 'VERIFIED' AND compared_with IS NOT DISTINCT FROM i.verification_id)
         AS "isEkycVerified",
       (SELECT count(*)::int FROM onboarding.nominees WHERE user_id = :userId) AS "nomineesCount",
       EXISTS (SELECT FROM onboarding.journey_steps
                WHERE user_id = :userId AND issuer_slug = '' AND step = 'HOME' AND state = 'DONE') AS "isHomeDone"
  FROM onboarding.users u
  LEFT JOIN onboarding.identities i ON i.user_id = u.id
  -- the latest account that is verified and compared with the PAN
  LEFT JOIN LATERAL (
    SELECT id, account_encrypted, bank_name FROM onboarding.bank_accounts
     WHERE user_id = u.id AND state = 'VERIFIED' AND is_compared ORDER BY asked_at DESC, id DESC LIMIT 1) b ON true
 WHERE u.id = :userId`,
  {
    phone: 'text',
    email: 'text?',
    pan: 'text?',
    dob: 'text?',
    names: 'text?',
    bankId: 'uuid?',
    account: 'text?',
    bankName: 'text?',
    isEkycVerified: 'bool',
    nomineesCount: 'int4',
    isHomeDone: 'bool',
  },
);
