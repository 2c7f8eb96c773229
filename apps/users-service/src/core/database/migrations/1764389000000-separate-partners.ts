import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- The account was begun with another partner, and the person has not agreed to share it with the one of this session.
ALTER TABLE onboarding.sessions ADD COLUMN is_unshared boolean NOT NULL DEFAULT false;
`;

const DOWN = `
ALTER TABLE onboarding.sessions DROP COLUMN is_unshared;
`;

/** Distinguishes sessions of partners that may not reach what was given through another one. */
export class SeparatePartners1764389000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
