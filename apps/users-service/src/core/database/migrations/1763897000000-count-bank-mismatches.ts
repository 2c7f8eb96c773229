import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names that did not match the one at a bank, counted for each user and each account number. */
export class CountBankMismatches1763897000000 implements MigrationInterface {
  name = 'CountBankMismatches1763897000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.bank_mismatches (
        id uuid CONSTRAINT pk_bank_mismatches PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_bank_mismatches__users REFERENCES onboarding.users (id),
        account_index bytea NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT ck_bank_mismatches__account_index CHECK (octet_length(account_index) = 32)
      )`);
    await runner.query(
      'CREATE INDEX ix_bank_mismatches__user_id__created_at ON onboarding.bank_mismatches (user_id, created_at)',
    );
    await runner.query(`CREATE INDEX ix_bank_mismatches__account_index__created_at
      ON onboarding.bank_mismatches (account_index, created_at)`);
    await runner.query(
      'CREATE INDEX ix_bank_mismatches__created_at ON onboarding.bank_mismatches (created_at)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.bank_mismatches');
  }
}
