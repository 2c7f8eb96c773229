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

/**
 * The service's role can add rows that stay for years. A proof or hash of hundreds of megabytes would end each replica that seals,
 * and stop the trail. The bounds are about five times what the service writes.
 */
const TABLES = `
CREATE TABLE onboarding.audit_unsealed (
  id uuid CONSTRAINT pk_audit_unsealed PRIMARY KEY,
  ${EVENT('audit_unsealed')},
  CONSTRAINT ck_audit_unsealed__proof CHECK (octet_length(proof) <= 500)
);

-- The time of sealing grows with the numbers of events, so a partition is a contiguous range of the chain. No key spans partitions:
-- the sealer's lock keeps numbers and ids unique, and the check of the chain verifies it.
CREATE TABLE onboarding.audit_events (
  seq bigint NOT NULL,
  id uuid NOT NULL,
  ${EVENT('audit_events')},
  sealed_at timestamptz(3) NOT NULL,
  hash text NOT NULL CONSTRAINT ck_audit_events__hash CHECK (octet_length(hash) <= 500)
) PARTITION BY RANGE (sealed_at);
-- takes the rows that fit into no other partition; each new partition gets its keys and indexes
CREATE TABLE onboarding.audit_events_default PARTITION OF onboarding.audit_events DEFAULT;
ALTER TABLE onboarding.audit_events_default
  ADD CONSTRAINT pk_audit_events_default PRIMARY KEY (seq),
  ADD CONSTRAINT uq_audit_events_default__id UNIQUE (id);
CREATE INDEX ix_audit_events_default__subject_user_id ON onboarding.audit_events_default (subject_user_id, seq);

CREATE TABLE onboarding.audit_checkpoints (
  seq bigint CONSTRAINT pk_audit_checkpoints PRIMARY KEY,
  hash text NOT NULL,
  proof text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
`;

const TRIGGERS = `
-- A statement trigger of a table does not fire for statements on its partitions: each of them has its own.
CREATE TRIGGER tr_audit_unsealed__append_only BEFORE UPDATE OR TRUNCATE
  ON onboarding.audit_unsealed FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change();
CREATE TRIGGER tr_audit_events__append_only BEFORE UPDATE OR TRUNCATE
  ON onboarding.audit_events FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change();
CREATE TRIGGER tr_audit_events__append_only BEFORE UPDATE OR TRUNCATE
  ON onboarding.audit_events_default FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change();
CREATE TRIGGER tr_audit_checkpoints__append_only BEFORE UPDATE OR DELETE OR TRUNCATE
  ON onboarding.audit_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change();

-- An event that is far ahead would never be sealed. A replica with a wrong clock still records: its events wait for their time, a
-- month at most.
CREATE TRIGGER tr_audit_unsealed__about_now BEFORE INSERT ON onboarding.audit_unsealed FOR EACH ROW
  WHEN (NEW.occurred_at NOT BETWEEN now() - interval '1 day' AND now() + interval '1 month')
  EXECUTE FUNCTION onboarding.refuse_backdating();

-- Only sealing removes unsealed events.
CREATE FUNCTION onboarding.refuse_unsealed_deletion() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM onboarding.audit_events WHERE id = OLD.id) THEN
    RAISE EXCEPTION '% is append-only until it is sealed', TG_TABLE_NAME;
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER tr_audit_unsealed__kept BEFORE DELETE
  ON onboarding.audit_unsealed FOR EACH ROW EXECUTE FUNCTION onboarding.refuse_unsealed_deletion();

-- Sealed events stay for more than a year.
CREATE FUNCTION onboarding.refuse_early_audit_deletion() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.sealed_at >= now() - make_interval(days => TG_ARGV[0]::int) THEN
    RAISE EXCEPTION '% is append-only for % days', TG_TABLE_NAME, TG_ARGV[0];
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER tr_audit_events__kept BEFORE DELETE
  ON onboarding.audit_events FOR EACH ROW EXECUTE FUNCTION onboarding.refuse_early_audit_deletion('400');
`;

/**
 * The only way in which the service's role changes audit events. It runs as the owner, so its fixed search path keeps the caller's
 * objects out, and only granted roles may call it. An attacker on a replica can seal neither a number nor a time far ahead or back,
 * which would block further events or keep a partition for ever.
 */
const SEALING = `
CREATE FUNCTION onboarding.seal_audit_events(ids uuid[], seqs bigint[], hashes text[], moment timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  last_seq bigint;
  last_sealed_at timestamptz;
  moved bigint;
BEGIN
  -- an event sealed with an earlier time could be purged immediately; a subtraction from the earliest time of PostgreSQL would
  -- fail, so that one forged event could stop all sealing
  IF EXISTS (SELECT FROM onboarding.audit_unsealed u
              WHERE u.id = ANY (ids) AND moment + interval '5 minutes' < u.occurred_at) THEN
    RAISE EXCEPTION 'audit events cannot be sealed before they happen';
  END IF;
  -- an unsealed event with the id of a sealed one is evidence of forgery and is kept
  IF EXISTS (SELECT FROM onboarding.audit_events e WHERE e.id = ANY (ids)
               AND EXISTS (SELECT FROM onboarding.audit_unsealed u WHERE u.id = e.id)) THEN
    RAISE EXCEPTION 'an event of these ids is sealed already';
  END IF;
  SELECT seq, sealed_at INTO last_seq, last_sealed_at FROM onboarding.audit_events ORDER BY seq DESC LIMIT 1;
  last_seq := greatest(coalesce(last_seq, 0), coalesce((SELECT max(seq) FROM onboarding.audit_checkpoints), 0));
  IF seqs IS DISTINCT FROM ARRAY(SELECT generate_series(last_seq + 1, last_seq + cardinality(ids))) THEN
    RAISE EXCEPTION 'audit events are sealed in the order of their numbers';
  END IF;
  -- the clock of a replica may be wrong, and the chain continues from it
  IF moment < last_sealed_at OR moment > now() + interval '1 day' THEN
    RAISE EXCEPTION 'audit events are sealed in the order of time';
  END IF;
  INSERT INTO onboarding.audit_events (seq, id, occurred_at, actor, action, subject_user_id, outcome, code,
                                       issuer_slug, object_id, session_id, request_id, proof, sealed_at, hash)
  SELECT s.seq, u.id, u.occurred_at, u.actor, u.action, u.subject_user_id, u.outcome, u.code,
         u.issuer_slug, u.object_id, u.session_id, u.request_id, u.proof, moment, s.hash
    FROM unnest(ids, seqs, hashes) AS s (id, seq, hash) JOIN onboarding.audit_unsealed u ON u.id = s.id;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> cardinality(ids) THEN
    RAISE EXCEPTION 'an event of these ids does not wait';
  END IF;
  DELETE FROM onboarding.audit_unsealed u WHERE u.id = ANY (ids);
END $$;
REVOKE ALL ON FUNCTION onboarding.seal_audit_events FROM PUBLIC;
`;

const DOWN = `
DROP FUNCTION onboarding.seal_audit_events;
DROP TABLE onboarding.audit_checkpoints, onboarding.audit_events, onboarding.audit_unsealed;
DROP FUNCTION onboarding.refuse_early_audit_deletion(), onboarding.refuse_unsealed_deletion();
`;

/** Actions on people's data: pending events, and the chain of sealed ones. */
export class CreateAuditTrail1764372000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statements of [TABLES, TRIGGERS, SEALING]) await runner.query(statements);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
