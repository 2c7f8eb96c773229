import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The provider at which a locker session or a hosted request was opened; null: at none. Rows of the former release, and those
 * that it writes while it still runs, were opened at the only provider that it knows.
 */
export class RememberEkycProviders1764000000000 implements MigrationInterface {
  name = 'RememberEkycProviders1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE onboarding.locker_sessions ADD COLUMN provider text DEFAULT 'document-locker'",
    );
    await runner.query("ALTER TABLE onboarding.ekyc_requests ADD COLUMN provider text DEFAULT 'ekyc'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.locker_sessions DROP COLUMN provider');
    await runner.query('ALTER TABLE onboarding.ekyc_requests DROP COLUMN provider');
  }
}
