import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Tries in unconfirmed sessions must not use up those of the owner.
ALTER TABLE onboarding.confirmation_tries ADD COLUMN is_confirmed boolean NOT NULL DEFAULT false;
`;

const DOWN = `
ALTER TABLE onboarding.confirmation_tries DROP COLUMN is_confirmed;
`;

/** By which tries of confirmed sessions are told from others. */
export class CountTriesApart1764394000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
