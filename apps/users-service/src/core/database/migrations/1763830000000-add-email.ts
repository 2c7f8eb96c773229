import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The verified email address of each user; one address belongs to one user. */
export class AddEmail1763830000000 implements MigrationInterface {
  name = 'AddEmail1763830000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE onboarding.users
        ADD COLUMN email_index bytea,
        ADD COLUMN email_encrypted text,
        ADD COLUMN email_verified_at timestamptz,
        ADD CONSTRAINT ck_users__email_index CHECK (octet_length(email_index) = 32),
        ADD CONSTRAINT ck_users__email CHECK (
          (email_index IS NULL) = (email_encrypted IS NULL) AND (email_index IS NULL) = (email_verified_at IS NULL))`);
    // partial, so not a key of the table: a change of address need not block writes of rows that refer to the user
    await runner.query(`
      CREATE UNIQUE INDEX uq_users__email_index ON onboarding.users (email_index)
        WHERE email_index IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE onboarding.users
        DROP CONSTRAINT ck_users__email,
        DROP CONSTRAINT ck_users__email_index,
        DROP COLUMN email_verified_at,
        DROP COLUMN email_encrypted,
        DROP COLUMN email_index`);
  }
}
