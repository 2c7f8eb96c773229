import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Whether an operator is to look at the claimed name if it differs from the others, instead of a refusal.
ALTER TABLE onboarding.bank_accounts ADD COLUMN is_review_asked boolean NOT NULL DEFAULT false;
`;

const DOWN = `
ALTER TABLE onboarding.bank_accounts DROP COLUMN is_review_asked;
`;

/** Lets people ask for a review of names that differ. */
export class AskForNameReviews1764391000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
