import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- The partner through which the account was given at the issuer. No foreign key, as in journey_steps.
ALTER TABLE onboarding.bank_syncs ADD COLUMN partner_id uuid;
-- Of the few whose outcome is open: their step may become another partner's before.
UPDATE onboarding.bank_syncs b SET partner_id = s.partner_id
  FROM onboarding.bank_accounts a JOIN onboarding.journey_steps s ON s.user_id = a.user_id AND s.step = 'BANK'
 WHERE a.id = b.account_id AND s.issuer_slug = b.issuer_slug AND b.state IN ('DUE', 'ACCEPTED');
`;

const DOWN = `
ALTER TABLE onboarding.bank_syncs DROP COLUMN partner_id;
`;

/** To which the events of a bank account go. */
export class KeepPartnersOfAccounts1764397000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
