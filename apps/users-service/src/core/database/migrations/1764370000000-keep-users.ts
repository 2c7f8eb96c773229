import type { MigrationInterface, QueryRunner } from 'typeorm';

const FIXED_PATH = 'SET search_path = pg_catalog, pg_temp';

/**
 * An attacker on the service cannot remove a user without a trace: neither delete one whose erasure is not recorded, nor give
 * the row another id. The record comes first in the transaction of an erasure, and the former release does not do otherwise.
 */
export class KeepUsers1764370000000 implements MigrationInterface {
  name = 'KeepUsers1764370000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION onboarding.protect_user() RETURNS trigger LANGUAGE plpgsql ${FIXED_PATH} AS $$
      BEGIN
        IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM onboarding.erased_users WHERE user_id = OLD.id) THEN
          RETURN OLD;
        END IF;
        RAISE EXCEPTION 'users are kept until their erasure is recorded';
      END $$`);
    await runner.query(`
      CREATE TRIGGER tr_users__kept BEFORE DELETE
        ON onboarding.users FOR EACH ROW EXECUTE FUNCTION onboarding.protect_user()`);
    await runner.query(`
      CREATE TRIGGER tr_users__same_id BEFORE UPDATE OF id
        ON onboarding.users FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id)
        EXECUTE FUNCTION onboarding.protect_user()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER tr_users__same_id ON onboarding.users');
    await runner.query('DROP TRIGGER tr_users__kept ON onboarding.users');
    await runner.query('DROP FUNCTION onboarding.protect_user()');
  }
}
