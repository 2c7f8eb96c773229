import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- When the person has confirmed the account in this session by what only its owner knows.
ALTER TABLE onboarding.sessions ADD COLUMN confirmed_at timestamptz;
`;

const DOWN = `
ALTER TABLE onboarding.sessions DROP COLUMN confirmed_at;
`;

/** What a session of another partner needs to use the person's own rights. */
export class SeparatePartners1764389000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
