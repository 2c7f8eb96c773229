import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names that match in part wait for an operator before the account is registered. Existing registrations stay. */
export class ReviewBankNames1763896000000 implements MigrationInterface {
  name = 'ReviewBankNames1763896000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE onboarding.bank_accounts ADD COLUMN name_review text
        CONSTRAINT ck_bank_accounts__name_review CHECK (name_review IN ('WAITING', 'ACCEPTED', 'REFUSED'))`);
    await runner.query(`CREATE INDEX ix_bank_accounts__in_review ON onboarding.bank_accounts (settled_at)
      WHERE name_review = 'WAITING'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.bank_accounts DROP COLUMN name_review');
  }
}
