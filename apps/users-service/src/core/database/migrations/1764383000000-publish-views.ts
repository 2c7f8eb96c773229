import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Whose calls to providers do not begin: an operator has blocked the user, or disabled all partners whose terms the user has accepted.
CREATE VIEW onboarding.users_on_hold AS
SELECT u.id AS user_id FROM onboarding.users u
 WHERE u.blocked_at IS NOT NULL OR (
   SELECT bool_and(p.disabled_at IS NOT NULL) FROM onboarding.consents c JOIN onboarding.partners p ON p.id = c.partner_id
    WHERE c.user_id = u.id AND c.purpose = 'TERMS_OF_USE' AND c.withdrawn_at IS NULL);
-- Who has a verified PAN.
CREATE VIEW onboarding.pan_holders AS SELECT user_id FROM onboarding.identities;
-- What the profile shows, encrypted.
CREATE VIEW onboarding.profiles AS
SELECT u.id AS user_id, u.phone_encrypted AS phone, u.email_encrypted AS email,
       i.pan_encrypted AS pan, i.dob_encrypted AS dob, i.names_encrypted AS names,
       b.id AS bank_account_id, b.account_encrypted AS account, b.bank_name,
       -- an eKYC counts only if it was compared with the current verification of the PAN
       EXISTS (SELECT FROM onboarding.ekyc_requests r
                WHERE r.user_id = u.id AND r.status = 'VERIFIED' AND r.compared_with IS NOT DISTINCT FROM i.verification_id)
         AS is_ekyc_verified,
       (SELECT count(*)::int FROM onboarding.nominees n WHERE n.user_id = u.id) AS nominees_count,
       EXISTS (SELECT FROM onboarding.journey_steps s
                WHERE s.user_id = u.id AND s.issuer_slug = '' AND s.step = 'HOME' AND s.state = 'DONE') AS is_home_done
  FROM onboarding.users u
  LEFT JOIN onboarding.identities i ON i.user_id = u.id
  -- the latest account that is verified and compared with the PAN
  LEFT JOIN LATERAL (
    SELECT id, account_encrypted, bank_name FROM onboarding.bank_accounts
     WHERE user_id = u.id AND state = 'VERIFIED' AND is_compared ORDER BY asked_at DESC, id DESC LIMIT 1) b ON true;
`;

const DOWN = `
DROP VIEW onboarding.users_on_hold;
DROP VIEW onboarding.profiles;
DROP VIEW onboarding.pan_holders;
`;

/** What domains publish to those above them, which do not read their tables. */
export class PublishViews1764383000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
