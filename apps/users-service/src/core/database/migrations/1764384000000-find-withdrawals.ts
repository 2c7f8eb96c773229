import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- The worker looks every few seconds for accounts that an issuer keeps, and an erasure for those of a user.
CREATE INDEX ix_bank_withdrawals__account_id ON onboarding.bank_withdrawals (account_id);
`;

const DOWN = `
DROP INDEX onboarding.ix_bank_withdrawals__account_id;
`;

/** Finds the withdrawals of an account in every state by an index. */
export class FindWithdrawals1764384000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
