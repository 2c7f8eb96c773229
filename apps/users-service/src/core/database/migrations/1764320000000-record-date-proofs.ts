import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether the document of a verified eKYC had the full date of birth. Null for earlier eKYCs and those of the former release:
 * they count as before.
 */
export class RecordDateProofs1764320000000 implements MigrationInterface {
  name = 'RecordDateProofs1764320000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.ekyc_requests ADD COLUMN is_full_date boolean');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.ekyc_requests DROP COLUMN is_full_date');
  }
}
