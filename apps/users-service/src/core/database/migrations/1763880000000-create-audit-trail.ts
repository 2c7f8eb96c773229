import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The columns of an event in both tables, with the proof of its writer. No foreign keys: events outlive the rows they name. */
const EVENT = (table: string): string => `
  occurred_at timestamptz(3) NOT NULL,
  actor text NOT NULL CONSTRAINT ck_${table}__actor
    CHECK (actor ~ '^(user:[0-9a-f-]{36}|(system|operator):[a-z: -]{1,60}|unknown)$'),
  action text NOT NULL CONSTRAINT ck_${table}__action CHECK (action ~ '^[A-Z_]{1,60}$'),
  subject_user_id uuid,
  outcome text NOT NULL CONSTRAINT ck_${table}__outcome
    CHECK (outcome IN ('OK', 'REPEATED', 'REFUSED', 'FAILED')),
  code text CONSTRAINT ck_${table}__code CHECK (code ~ '^[A-Z_0-9]{1,60}$'),
  issuer_slug text CONSTRAINT ck_${table}__issuer_slug CHECK (issuer_slug ~ '^[a-z-]{1,60}$'),
  object_id uuid,
  session_id uuid,
  request_id text CONSTRAINT ck_${table}__request_id CHECK (request_id ~ '^[0-9a-f-]{32,36}$'),
  proof text NOT NULL`;

/** Actions on people's data: pending events, and the chain of sealed ones. */
export class CreateAuditTrail1763880000000 implements MigrationInterface {
  name = 'CreateAuditTrail1763880000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.audit_unsealed (
        id uuid CONSTRAINT pk_audit_unsealed PRIMARY KEY,
        ${EVENT('audit_unsealed')}
      )`);
    await runner.query(`
      CREATE TABLE onboarding.audit_events (
        seq bigint CONSTRAINT pk_audit_events PRIMARY KEY,
        id uuid NOT NULL CONSTRAINT uq_audit_events__id UNIQUE,
        ${EVENT('audit_events')},
        sealed_at timestamptz(3) NOT NULL,
        hash text NOT NULL
      )`);
    await runner.query(
      'CREATE INDEX ix_audit_events__subject_user_id ON onboarding.audit_events (subject_user_id, seq)',
    );
    await runner.query(`
      CREATE TABLE onboarding.audit_checkpoints (
        seq bigint CONSTRAINT pk_audit_checkpoints PRIMARY KEY,
        hash text NOT NULL,
        proof text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await refuse(runner, 'audit_unsealed', 'UPDATE OR TRUNCATE');
    await refuse(runner, 'audit_events', 'UPDATE OR TRUNCATE');
    await refuse(runner, 'audit_checkpoints', 'UPDATE OR DELETE OR TRUNCATE');
    await keepUnsealed(runner);
    await keepSealed(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['audit_checkpoints', 'audit_events', 'audit_unsealed']) {
      await runner.query(`DROP TABLE onboarding.${table}`);
    }
    await runner.query('DROP FUNCTION onboarding.refuse_unsealed_deletion()');
    await runner.query('DROP FUNCTION onboarding.refuse_early_audit_deletion()');
  }
}

async function refuse(runner: QueryRunner, table: string, changes: string): Promise<void> {
  await runner.query(`
    CREATE TRIGGER tr_${table}__append_only BEFORE ${changes}
      ON onboarding.${table} FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change()`);
}

/** Unsealed events are removed only by sealing. */
async function keepUnsealed(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE FUNCTION onboarding.refuse_unsealed_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM onboarding.audit_events WHERE id = OLD.id) THEN
        RAISE EXCEPTION '% is append-only until it is sealed', TG_TABLE_NAME;
      END IF;
      RETURN OLD;
    END $$`);
  await runner.query(`
    CREATE TRIGGER tr_audit_unsealed__kept BEFORE DELETE
      ON onboarding.audit_unsealed FOR EACH ROW EXECUTE FUNCTION onboarding.refuse_unsealed_deletion()`);
}

/** Sealed events stay for more than a year. */
async function keepSealed(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE FUNCTION onboarding.refuse_early_audit_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF OLD.sealed_at >= now() - make_interval(days => TG_ARGV[0]::int) THEN
        RAISE EXCEPTION '% is append-only for % days', TG_TABLE_NAME, TG_ARGV[0];
      END IF;
      RETURN OLD;
    END $$`);
  await runner.query(`
    CREATE TRIGGER tr_audit_events__kept BEFORE DELETE
      ON onboarding.audit_events FOR EACH ROW EXECUTE FUNCTION onboarding.refuse_early_audit_deletion('400')`);
}
