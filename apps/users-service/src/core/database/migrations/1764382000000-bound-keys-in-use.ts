import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Any service refuses to start while it lacks a key of this table, so a row that no setting can fit would end every later start.
ALTER TABLE onboarding.keys_in_use DISABLE TRIGGER tr_keys_in_use__kept;
DELETE FROM onboarding.keys_in_use
 WHERE CASE purpose WHEN 'INDEX' THEN key_id <> 'index' ELSE key_id !~ '^[A-Za-z0-9_-]{1,32}$' END;
ALTER TABLE onboarding.keys_in_use ENABLE TRIGGER tr_keys_in_use__kept;
ALTER TABLE onboarding.keys_in_use ADD CONSTRAINT ck_keys_in_use__key_id
  CHECK (CASE purpose WHEN 'INDEX' THEN key_id = 'index' ELSE key_id ~ '^[A-Za-z0-9_-]{1,32}$' END);
-- A key that is seen in the future would always count as one that a replica uses.
CREATE TRIGGER tr_keys_in_use__seen_now BEFORE INSERT ON onboarding.keys_in_use FOR EACH ROW
  WHEN (NEW.seen_at IS DISTINCT FROM now()) EXECUTE FUNCTION onboarding.refuse_backdating();
`;

const DOWN = `
DROP TRIGGER tr_keys_in_use__seen_now ON onboarding.keys_in_use;
ALTER TABLE onboarding.keys_in_use DROP CONSTRAINT ck_keys_in_use__key_id;
`;

/** Bounds the record of keys to ids that settings can have, seen now. */
export class BoundKeysInUse1764382000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
