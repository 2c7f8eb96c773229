import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether the PAN registry compared the date of birth of an identity. Earlier identities count as compared, as every answer
 * has said of them. What the former release adds while it still runs does not: it cannot say which registry answered.
 */
export class RecordBirthComparisons1764310000000 implements MigrationInterface {
  name = 'RecordBirthComparisons1764310000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE onboarding.identities ADD COLUMN is_dob_compared boolean NOT NULL DEFAULT true',
    );
    await runner.query('ALTER TABLE onboarding.identities ALTER COLUMN is_dob_compared SET DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.identities DROP COLUMN is_dob_compared');
  }
}
