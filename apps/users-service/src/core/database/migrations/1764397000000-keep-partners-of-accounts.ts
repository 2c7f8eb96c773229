import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- The partner through which the account was given at the issuer. No foreign key, as in journey_steps.
ALTER TABLE onboarding.bank_syncs ADD COLUMN partner_id uuid;
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
