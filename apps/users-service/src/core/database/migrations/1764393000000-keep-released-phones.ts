import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'ix_users__released_phone_index';

/** By which phone number the next owners of an account that was given up are known. */
export class KeepReleasedPhones1764393000000 implements MigrationInterface {
  /** An index of a large table is built while it is in use. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // of the phone that an account has given up: each later account of the number is that of a next owner, also after one was erased
    await runner.query('ALTER TABLE onboarding.users ADD COLUMN IF NOT EXISTS released_phone_index bytea');
    // an interrupted build leaves an invalid one
    await runner.query(`DROP INDEX IF EXISTS onboarding.${INDEX}`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY ${INDEX} ON onboarding.users (released_phone_index) WHERE released_phone_index IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.users DROP COLUMN released_phone_index');
  }
}
