import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The provider that runs the verification of a bank account; null before it begins. Accounts of the former release, which
 * may still run, use the only provider that it knows.
 */
export class RememberBankProviders1763903100000 implements MigrationInterface {
  name = 'RememberBankProviders1763903100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE onboarding.bank_accounts ADD COLUMN provider text DEFAULT 'bank'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.bank_accounts DROP COLUMN provider');
  }
}
