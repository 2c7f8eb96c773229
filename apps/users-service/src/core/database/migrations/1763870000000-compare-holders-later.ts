import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a bank account's holder has been compared with the PAN, and how often banks were asked. */
export class CompareHoldersLater1763870000000 implements MigrationInterface {
  name = 'CompareHoldersLater1763870000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE onboarding.bank_accounts ADD COLUMN is_compared boolean NOT NULL DEFAULT false',
    );
    // until now accounts were compared only with a PAN that was already verified
    await runner.query(`
      UPDATE onboarding.bank_accounts a SET is_compared = true
        FROM onboarding.identities i
       WHERE i.user_id = a.user_id AND a.state IN ('VERIFIED', 'MISMATCHED') AND i.verified_at <= a.settled_at`);
    await runner.query(`
      CREATE TABLE onboarding.bank_checks (
        id uuid CONSTRAINT pk_bank_checks PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_bank_checks__users REFERENCES onboarding.users (id),
        started_at timestamptz NOT NULL
      )`);
    await runner.query(
      'CREATE INDEX ix_bank_checks__user_id__started_at ON onboarding.bank_checks (user_id, started_at)',
    );
    await runner.query('CREATE INDEX ix_bank_checks__started_at ON onboarding.bank_checks (started_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.bank_checks');
    await runner.query('ALTER TABLE onboarding.bank_accounts DROP COLUMN is_compared');
  }
}
