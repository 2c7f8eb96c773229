import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Partners whose backends learn of events.
CREATE TABLE onboarding.event_subscriptions (
  partner_id uuid CONSTRAINT pk_event_subscriptions PRIMARY KEY
    CONSTRAINT fk_event_subscriptions__partners REFERENCES onboarding.partners (id),
  address text,
  signing text NOT NULL DEFAULT 'hmac' CONSTRAINT ck_event_subscriptions__signing CHECK (signing IN ('hmac', 'ed25519')),
  secret_encrypted text NOT NULL,
  former_secret_encrypted text,
  paused_at timestamptz,
  pause_reason text
    CONSTRAINT ck_event_subscriptions__pause_reason CHECK (pause_reason IN ('OPERATOR', 'GONE')),
  -- while the partner is
  disabled_at timestamptz,
  last_position bigint NOT NULL DEFAULT '0',
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT ck_event_subscriptions__paused_at CHECK ((paused_at IS NULL) = (pause_reason IS NULL))
);

-- Keys of the partners' backends.
CREATE TABLE onboarding.backend_keys (
  id uuid CONSTRAINT pk_backend_keys PRIMARY KEY,
  partner_id uuid NOT NULL CONSTRAINT fk_backend_keys__partners REFERENCES onboarding.partners (id),
  key_hash bytea NOT NULL CONSTRAINT uq_backend_keys__key_hash UNIQUE
    CONSTRAINT ck_backend_keys__key_hash CHECK (octet_length(key_hash) = 32),
  scope text NOT NULL DEFAULT 'EVENTS' CONSTRAINT ck_backend_keys__scope CHECK (scope = 'EVENTS'),
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE INDEX ix_backend_keys__partner_id ON onboarding.backend_keys (partner_id);

-- Outcomes for the partners' backends: ids and fixed words.
CREATE TABLE onboarding.partner_events (
  id uuid CONSTRAINT pk_partner_events PRIMARY KEY,
  partner_id uuid NOT NULL CONSTRAINT fk_partner_events__partners REFERENCES onboarding.partners (id),
  -- the erasure of a user is told after the user's row is deleted
  user_id uuid NOT NULL,
  type text NOT NULL CONSTRAINT ck_partner_events__type CHECK (type ~ '^[a-z_.]{1,40}$'),
  issuer_slug text CONSTRAINT ck_partner_events__issuer_slug CHECK (issuer_slug ~ '^[a-z-]{1,60}$'),
  step text CONSTRAINT ck_partner_events__step CHECK (step ~ '^[A-Z_]{1,40}$'),
  status text CONSTRAINT ck_partner_events__status CHECK (status ~ '^[A-Z_]{1,40}$'),
  reason_code text CONSTRAINT ck_partner_events__reason_code CHECK (reason_code ~ '^[A-Z_0-9]{1,60}$'),
  occurred_at timestamptz NOT NULL DEFAULT now(),
  position bigint,
  state text NOT NULL DEFAULT 'DUE'
    CONSTRAINT ck_partner_events__state CHECK (state IN ('DUE', 'DELIVERED', 'PARKED', 'ERASED')),
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamptz NOT NULL DEFAULT now(),
  lease_id uuid,
  leased_until timestamptz,
  due_since timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  last_tried_at timestamptz,
  last_answer text,
  CONSTRAINT ck_partner_events__lease CHECK ((lease_id IS NULL) = (leased_until IS NULL)),
  CONSTRAINT ck_partner_events__settled_at CHECK ((settled_at IS NULL) = (state = 'DUE'))
);
CREATE UNIQUE INDEX uq_partner_events__position ON onboarding.partner_events (partner_id, position) WHERE position IS NOT NULL;
CREATE INDEX ix_partner_events__unnumbered ON onboarding.partner_events (partner_id, id) WHERE position IS NULL;
CREATE INDEX ix_partner_events__due ON onboarding.partner_events (partner_id, next_try_at) WHERE state = 'DUE';
CREATE INDEX ix_partner_events__open ON onboarding.partner_events (partner_id, position) WHERE state = 'DUE';
CREATE INDEX ix_partner_events__line ON onboarding.partner_events (partner_id, user_id, position) WHERE state = 'DUE';
CREATE INDEX ix_partner_events__user_id ON onboarding.partner_events (user_id);
CREATE INDEX ix_partner_events__occurred_at ON onboarding.partner_events (occurred_at);

-- Applications of users that partners learn to be ready, or no longer.
CREATE TABLE onboarding.application_readiness (
  -- no foreign key: who numbers events holds locks that an erasure waits for
  user_id uuid,
  issuer_slug text,
  is_ready boolean NOT NULL DEFAULT false,
  -- when something changed that may decide it; null once it was looked at
  changed_at timestamptz DEFAULT now(),
  CONSTRAINT pk_application_readiness PRIMARY KEY (user_id, issuer_slug)
);
CREATE INDEX ix_application_readiness__changed_at ON onboarding.application_readiness (changed_at) WHERE changed_at IS NOT NULL;

-- The partner in whose app the step was begun. No foreign key: each login writes it.
ALTER TABLE onboarding.journey_steps ADD COLUMN partner_id uuid;
`;

const DOWN = `
ALTER TABLE onboarding.journey_steps DROP COLUMN partner_id;
DROP TABLE onboarding.application_readiness;
DROP TABLE onboarding.partner_events;
DROP TABLE onboarding.backend_keys;
DROP TABLE onboarding.event_subscriptions;
`;

/** Events for the backends of partners. */
export class CreatePartnerEvents1764392000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
