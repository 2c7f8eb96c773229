import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The daily count of wrong names of an account outlives the erasure of a user who gave some of them. */
export class KeepCountedMismatches1764330000000 implements MigrationInterface {
  name = 'KeepCountedMismatches1764330000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.bank_mismatches DROP CONSTRAINT fk_bank_mismatches__users');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM onboarding.bank_mismatches m
       WHERE NOT EXISTS (SELECT FROM onboarding.users u WHERE u.id = m.user_id)`);
    await runner.query(`
      ALTER TABLE onboarding.bank_mismatches
        ADD CONSTRAINT fk_bank_mismatches__users FOREIGN KEY (user_id) REFERENCES onboarding.users (id)`);
  }
}
