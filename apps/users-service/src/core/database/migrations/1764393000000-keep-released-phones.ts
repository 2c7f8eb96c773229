import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Of the phone that an account has given up: each later account of the number is that of a next owner, also after one was erased.
ALTER TABLE onboarding.users ADD COLUMN released_phone_index bytea;
CREATE INDEX ix_users__released_phone_index ON onboarding.users (released_phone_index) WHERE released_phone_index IS NOT NULL;
`;

const DOWN = `
ALTER TABLE onboarding.users DROP COLUMN released_phone_index;
`;

/** By which phone number the next owners of an account that was given up are known. */
export class KeepReleasedPhones1764393000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
