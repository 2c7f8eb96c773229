import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- An attacker in the service could otherwise make a key look unused, so that it is thrown away with the data under it, or let a replica
-- start with another secret, after which a PAN could have two users.
CREATE FUNCTION onboarding.keep_key_in_use() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  place record;
  is_kept boolean := OLD.purpose = 'INDEX';
BEGIN
  IF TG_OP = 'UPDATE' THEN
    -- a check value is added once, by the first service with the key
    is_kept := (OLD.purpose, OLD.key_id, coalesce(OLD.check_value, NEW.check_value))
      IS DISTINCT FROM (NEW.purpose, NEW.key_id, NEW.check_value);
  ELSE
    FOR place IN SELECT c.oid::regclass AS name, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
                  WHERE c.relnamespace = 'onboarding'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                    AND a.attname LIKE '%\\_encrypted' AND NOT a.attisdropped LOOP
      EXIT WHEN is_kept;
      EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE starts_with(%I, $1))', place.name, place.attname)
        INTO is_kept USING OLD.key_id || '.';
    END LOOP;
  END IF;
  IF is_kept THEN
    RAISE EXCEPTION 'keys in use are kept';
  END IF;
  RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER tr_keys_in_use__kept BEFORE UPDATE OR DELETE
  ON onboarding.keys_in_use FOR EACH ROW EXECUTE FUNCTION onboarding.keep_key_in_use();
CREATE TRIGGER tr_keys_in_use__about_now BEFORE UPDATE ON onboarding.keys_in_use FOR EACH ROW
  WHEN (NEW.seen_at IS DISTINCT FROM OLD.seen_at AND NEW.seen_at IS DISTINCT FROM now())
  EXECUTE FUNCTION onboarding.refuse_backdating();
`;

const DOWN = `
DROP TRIGGER tr_keys_in_use__kept ON onboarding.keys_in_use;
DROP TRIGGER tr_keys_in_use__about_now ON onboarding.keys_in_use;
DROP FUNCTION onboarding.keep_key_in_use();
`;

/** Keeps the record of a key as long as values exist under it. */
export class KeepKeysInUse1764381000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
