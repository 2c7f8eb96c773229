import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows that prove something, each with what a new one must not contain. */
const BACKDATED: Readonly<Record<string, string>> = {
  consents: 'NEW.given_at IS DISTINCT FROM now() OR NEW.withdrawn_at IS NOT NULL',
  accepted_declarations: 'NEW.accepted_at IS DISTINCT FROM now()',
  nominee_waivers: 'NEW.declared_at IS DISTINCT FROM now() OR NEW.ended_at IS NOT NULL',
  erased_users: 'NEW.erased_at IS DISTINCT FROM now()',
  // the history is read in the order of ids, which begin with the service's milliseconds: its clock may be wrong by ten minutes
  journey_events: `NEW.occurred_at IS DISTINCT FROM now() OR abs(extract(epoch FROM clock_timestamp()) * 1000
    - ('x' || translate(left(NEW.id::text, 13), '-', ''))::bit(48)::bigint) > 600000`,
};

const FIXED_PATH = 'SET search_path = pg_catalog, pg_temp';
/** Functions of triggers that keep proof. */
const KEEPERS = ['protect_consent()', 'protect_erasure()', 'refuse_early_deletion()'];

/**
 * An attacker on the service can add no proof with an earlier time, and neither change nor delete declarations of a person who
 * is not erased; an erasure is not recorded while its user exists. The former release does none of this.
 */
export class DateProof1764200000000 implements MigrationInterface {
  name = 'DateProof1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION onboarding.refuse_backdating() RETURNS trigger LANGUAGE plpgsql ${FIXED_PATH} AS $$
      BEGIN
        RAISE EXCEPTION 'rows of % are about now', TG_TABLE_NAME;
      END $$`);
    for (const [table, condition] of Object.entries(BACKDATED))
      await runner.query(`
        CREATE TRIGGER tr_${table}__about_now BEFORE INSERT ON onboarding.${table}
          FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION onboarding.refuse_backdating()`);
    await runner.query(`
      CREATE FUNCTION onboarding.protect_declaration() RETURNS trigger LANGUAGE plpgsql ${FIXED_PATH} AS $$
      BEGIN
        IF NOT EXISTS (SELECT FROM onboarding.erased_users WHERE user_id = OLD.user_id) THEN
          RAISE EXCEPTION 'declarations are kept until their user is erased';
        END IF;
        RETURN OLD;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tr_accepted_declarations__kept BEFORE DELETE
        ON onboarding.accepted_declarations FOR EACH ROW EXECUTE FUNCTION onboarding.protect_declaration()`);
    await runner.query(`
      CREATE TRIGGER tr_accepted_declarations__append_only BEFORE UPDATE OR TRUNCATE
        ON onboarding.accepted_declarations FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change()`);
    await runner.query(`
      CREATE TRIGGER tr_nominee_waivers__kept BEFORE DELETE ON onboarding.nominee_waivers
        FOR EACH ROW WHEN (OLD.ended_at IS NULL OR OLD.ended_at >= now() - interval '7 years')
        EXECUTE FUNCTION onboarding.protect_declaration()`);
    await runner.query(`
      CREATE FUNCTION onboarding.protect_waiver() RETURNS trigger LANGUAGE plpgsql ${FIXED_PATH} AS $$
      BEGIN
        IF to_jsonb(NEW) - 'ended_at' IS DISTINCT FROM to_jsonb(OLD) - 'ended_at'
          OR (NEW.ended_at IS DISTINCT FROM OLD.ended_at
              AND (OLD.ended_at IS NOT NULL OR NEW.ended_at IS DISTINCT FROM now())) THEN
          RAISE EXCEPTION 'waivers are ended, and not changed otherwise';
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tr_nominee_waivers__protected BEFORE UPDATE
        ON onboarding.nominee_waivers FOR EACH ROW EXECUTE FUNCTION onboarding.protect_waiver()`);
    await runner.query(`
      CREATE FUNCTION onboarding.require_user_gone() RETURNS trigger LANGUAGE plpgsql ${FIXED_PATH} AS $$
      BEGIN
        IF EXISTS (SELECT FROM onboarding.users WHERE id = NEW.user_id) THEN
          RAISE EXCEPTION 'an erasure is recorded for a user who is still there';
        END IF;
        RETURN NULL;
      END $$`);
    // at the commit: the record comes before the deletions, which need it
    await runner.query(`
      CREATE CONSTRAINT TRIGGER tr_erased_users__gone AFTER INSERT ON onboarding.erased_users
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION onboarding.require_user_gone()`);
    for (const name of KEEPERS) await runner.query(`ALTER FUNCTION onboarding.${name} ${FIXED_PATH}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of KEEPERS) await runner.query(`ALTER FUNCTION onboarding.${name} RESET search_path`);
    await runner.query('DROP TRIGGER tr_erased_users__gone ON onboarding.erased_users');
    await runner.query('DROP FUNCTION onboarding.require_user_gone()');
    await runner.query('DROP TRIGGER tr_nominee_waivers__protected ON onboarding.nominee_waivers');
    await runner.query('DROP FUNCTION onboarding.protect_waiver()');
    await runner.query('DROP TRIGGER tr_nominee_waivers__kept ON onboarding.nominee_waivers');
    for (const name of ['append_only', 'kept'])
      await runner.query(
        `DROP TRIGGER tr_accepted_declarations__${name} ON onboarding.accepted_declarations`,
      );
    await runner.query('DROP FUNCTION onboarding.protect_declaration()');
    for (const table of Object.keys(BACKDATED))
      await runner.query(`DROP TRIGGER tr_${table}__about_now ON onboarding.${table}`);
    await runner.query('DROP FUNCTION onboarding.refuse_backdating()');
  }
}
