import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- UUID version 7 (RFC 9562), for a row whose id is made under the lock of another row. As in the function of PostgreSQL 18, the
-- 12 bits behind the version hold the fraction of the millisecond (section 6.2, method 3), so that parallel events stay in order.
CREATE FUNCTION onboarding.uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  -- 48 bits of milliseconds, 4 of the version (7), 12 of the fraction in 1/4096 of a millisecond, then random bits
  SELECT encode(overlay(uuid_send(gen_random_uuid()) PLACING
           substring(int8send(microseconds / 1000) FROM 3)
           || substring(int4send((7 * 4096 + microseconds % 1000 * 4096 / 1000)::int) FROM 3)
           FROM 1 FOR 8), 'hex')::uuid
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS microseconds) now
$$;

-- Each function of a trigger fixes its search path: a session that puts a schema of its own first cannot change what it does.
CREATE FUNCTION onboarding.refuse_change() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

-- For triggers whose condition finds a time that is not about now: the service's role cannot date proof back or ahead.
CREATE FUNCTION onboarding.refuse_backdating() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are about now', TG_TABLE_NAME;
END $$;

CREATE TABLE onboarding.idempotent_calls (
  id uuid CONSTRAINT pk_idempotent_calls PRIMARY KEY,
  call_index bytea NOT NULL CONSTRAINT uq_idempotent_calls__call_index UNIQUE,
  fingerprint bytea NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  answer_encrypted text,
  CONSTRAINT ck_idempotent_calls__lengths CHECK (octet_length(call_index) = 32 AND octet_length(fingerprint) = 32)
);
CREATE INDEX ix_idempotent_calls__expires_at ON onboarding.idempotent_calls (expires_at);

-- The keys that encrypt values: a service without one of them notices at its start, not when it reads a value.
CREATE TABLE onboarding.keys_in_use (
  purpose text NOT NULL CONSTRAINT ck_keys_in_use__purpose CHECK (purpose IN ('PII', 'INDEX')),
  key_id text NOT NULL,
  -- identifies the key without revealing it; null until a service with the key has started
  check_value bytea,
  seen_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT pk_keys_in_use PRIMARY KEY (purpose, key_id)
);

-- Accepted webhooks: a repeated one has no effect.
CREATE TABLE onboarding.webhooks (
  vendor text NOT NULL,
  digest bytea NOT NULL,
  received_at timestamptz NOT NULL,
  CONSTRAINT pk_webhooks PRIMARY KEY (vendor, digest),
  CONSTRAINT ck_webhooks__digest CHECK (octet_length(digest) = 32)
);
CREATE INDEX ix_webhooks__received_at ON onboarding.webhooks (received_at);
`;

const DOWN = `
DROP TABLE onboarding.webhooks, onboarding.keys_in_use, onboarding.idempotent_calls;
DROP FUNCTION onboarding.refuse_backdating(), onboarding.refuse_change(), onboarding.uuid_v7();
`;

/** Functions that all domains use, calls with an idempotency key, keys in use, and accepted webhooks. */
export class CreateCore1764371000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
