import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = `
CREATE TABLE onboarding.users (
  id uuid CONSTRAINT pk_users PRIMARY KEY,
  phone_index bytea NOT NULL CONSTRAINT uq_users__phone_index UNIQUE,
  phone_encrypted text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_issuer_slug text,
  email_index bytea,
  email_encrypted text,
  email_verified_at timestamptz,
  blocked_at timestamptz,
  CONSTRAINT ck_users__phone_index CHECK (octet_length(phone_index) = 32),
  CONSTRAINT ck_users__email_index CHECK (octet_length(email_index) = 32),
  CONSTRAINT ck_users__email CHECK (
    (email_index IS NULL) = (email_encrypted IS NULL) AND (email_index IS NULL) = (email_verified_at IS NULL))
);
-- partial, so not a key of the table: a change of address need not block writes of rows that refer to the user
CREATE UNIQUE INDEX uq_users__email_index ON onboarding.users (email_index) WHERE email_index IS NOT NULL;

-- A partner has two keys during a replacement: tokens are encrypted to public_key; the other is kept for a roll-back.
CREATE TABLE onboarding.partners (
  id uuid CONSTRAINT pk_partners PRIMARY KEY,
  name text NOT NULL,
  url text NOT NULL CONSTRAINT uq_partners__url UNIQUE,
  public_key jsonb NOT NULL,
  redirect_origins text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  disabled_at timestamptz,
  former_public_key jsonb
);

CREATE TABLE onboarding.sessions (
  id uuid CONSTRAINT pk_sessions PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_sessions__users REFERENCES onboarding.users (id),
  partner_id uuid NOT NULL CONSTRAINT fk_sessions__partners REFERENCES onboarding.partners (id),
  device text,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  end_reason text CONSTRAINT ck_sessions__end_reason CHECK (end_reason IN
    ('LOGOUT', 'REVOKED', 'TOKEN_REUSE', 'REPLACED', 'OPERATOR', 'BLOCKED', 'PARTNER_DISABLED')),
  -- counts refreshes: each moves this time ahead
  refreshes_booked_until timestamptz,
  CONSTRAINT ck_sessions__end CHECK ((ended_at IS NULL) = (end_reason IS NULL))
);
CREATE INDEX ix_sessions__user_id ON onboarding.sessions (user_id) WHERE ended_at IS NULL;
CREATE INDEX ix_sessions__over_at ON onboarding.sessions (coalesce(ended_at, expires_at));

CREATE TABLE onboarding.refresh_tokens (
  token_hash bytea CONSTRAINT pk_refresh_tokens PRIMARY KEY,
  session_id uuid NOT NULL
    CONSTRAINT fk_refresh_tokens__sessions REFERENCES onboarding.sessions (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  rotated_at timestamptz,
  CONSTRAINT ck_refresh_tokens__token_hash CHECK (octet_length(token_hash) = 32)
);
CREATE INDEX ix_refresh_tokens__session_id ON onboarding.refresh_tokens (session_id);

-- Sends and wrong checks of codes within a day, for when Redis has lost its own counts.
CREATE TABLE onboarding.otp_counts (
  subject_index bytea CONSTRAINT pk_otp_counts PRIMARY KEY,
  sends timestamptz[] NOT NULL DEFAULT '{}',
  wrong_checks timestamptz[] NOT NULL DEFAULT '{}',
  last_at timestamptz NOT NULL,
  CONSTRAINT ck_otp_counts__subject_index CHECK (octet_length(subject_index) = 32)
);
CREATE INDEX ix_otp_counts__last_at ON onboarding.otp_counts (last_at);
`;

const CONSENTS = `
-- No foreign key on the user: consents stay as proof after the user's row is deleted.
CREATE TABLE onboarding.consents (
  id uuid CONSTRAINT pk_consents PRIMARY KEY,
  user_id uuid NOT NULL,
  partner_id uuid NOT NULL CONSTRAINT fk_consents__partners REFERENCES onboarding.partners (id),
  purpose text NOT NULL,
  notice_version text NOT NULL,
  ip_hash bytea NOT NULL,
  given_at timestamptz NOT NULL DEFAULT now(),
  withdrawn_at timestamptz,
  -- whether a repeated consent is the same one while it is in force
  is_united boolean NOT NULL DEFAULT false,
  -- of the fact sheet that the person agreed to; null in all other consents
  document_hash bytea,
  -- rows stay for years, so the service's role cannot add one of any size
  CONSTRAINT ck_consents__purpose CHECK (octet_length(purpose || notice_version) + octet_length(ip_hash) <= 500)
);
CREATE INDEX ix_consents__user_id ON onboarding.consents (user_id);
CREATE UNIQUE INDEX uq_consents__living ON onboarding.consents (user_id, partner_id, purpose, notice_version)
  WHERE withdrawn_at IS NULL AND is_united;
CREATE UNIQUE INDEX uq_consents__document_hash ON onboarding.consents (user_id, partner_id, purpose, document_hash)
  WHERE withdrawn_at IS NULL AND document_hash IS NOT NULL;
-- for the clean-up: only over withdrawn consents, which are few
CREATE INDEX ix_consents__withdrawn_at ON onboarding.consents (withdrawn_at) WHERE withdrawn_at IS NOT NULL;

CREATE TRIGGER tr_consents__about_now BEFORE INSERT ON onboarding.consents FOR EACH ROW
  WHEN (NEW.given_at IS DISTINCT FROM now() OR NEW.withdrawn_at IS NOT NULL)
  EXECUTE FUNCTION onboarding.refuse_backdating();

-- The service may withdraw a consent once, with the current time, and delete it after seven years.
CREATE FUNCTION onboarding.protect_consent() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.withdrawn_at IS NULL OR OLD.withdrawn_at >= now() - interval '7 years' THEN
      RAISE EXCEPTION 'consents are kept for 7 years after their withdrawal';
    END IF;
    RETURN OLD;
  END IF;
  IF to_jsonb(NEW) - 'withdrawn_at' IS DISTINCT FROM to_jsonb(OLD) - 'withdrawn_at'
    OR (NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at
        AND (OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS DISTINCT FROM now())) THEN
    RAISE EXCEPTION 'consents are withdrawn, and not changed otherwise';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER tr_consents__protected BEFORE UPDATE OR DELETE
  ON onboarding.consents FOR EACH ROW EXECUTE FUNCTION onboarding.protect_consent();
`;

const ERASURES = `
-- Users whose rows were deleted, and the KYC record of an opened deposit.
CREATE TABLE onboarding.erased_users (
  user_id uuid CONSTRAINT pk_erased_users PRIMARY KEY,
  erased_at timestamptz NOT NULL DEFAULT now(),
  kyc_until date,
  kyc_record_encrypted text,
  CONSTRAINT ck_erased_users__kyc CHECK ((kyc_until IS NULL) = (kyc_record_encrypted IS NULL))
);
CREATE INDEX ix_erased_users__kyc_until ON onboarding.erased_users (kyc_until) WHERE kyc_until IS NOT NULL;

CREATE TRIGGER tr_erased_users__about_now BEFORE INSERT ON onboarding.erased_users FOR EACH ROW
  WHEN (NEW.erased_at IS DISTINCT FROM now()) EXECUTE FUNCTION onboarding.refuse_backdating();

-- The service may re-encrypt a KYC record, and delete it on its day.
CREATE FUNCTION onboarding.protect_erasure() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (NEW.user_id, NEW.erased_at) IS DISTINCT FROM (OLD.user_id, OLD.erased_at)
    OR (NEW.kyc_until IS DISTINCT FROM OLD.kyc_until
        AND (NEW.kyc_until IS NOT NULL OR OLD.kyc_until > current_date)) THEN
    RAISE EXCEPTION 'erasures are not changed, and KYC records are kept until their day';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER tr_erased_users__protected BEFORE UPDATE
  ON onboarding.erased_users FOR EACH ROW EXECUTE FUNCTION onboarding.protect_erasure();

CREATE FUNCTION onboarding.require_user_gone() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM onboarding.users WHERE id = NEW.user_id) THEN
    RAISE EXCEPTION 'an erasure is recorded for a user who is still there';
  END IF;
  RETURN NULL;
END $$;
-- at the commit: the record comes before the deletions, which need it
CREATE CONSTRAINT TRIGGER tr_erased_users__gone AFTER INSERT ON onboarding.erased_users
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION onboarding.require_user_gone();

-- An attacker on the service cannot remove a user without a trace: neither delete one whose erasure is not recorded, nor give the
-- row another id.
CREATE FUNCTION onboarding.protect_user() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM onboarding.erased_users WHERE user_id = OLD.id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'users are kept until their erasure is recorded';
END $$;
CREATE TRIGGER tr_users__kept BEFORE DELETE
  ON onboarding.users FOR EACH ROW EXECUTE FUNCTION onboarding.protect_user();
CREATE TRIGGER tr_users__same_id BEFORE UPDATE OF id
  ON onboarding.users FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id)
  EXECUTE FUNCTION onboarding.protect_user();
`;

const DOWN = `
DROP TABLE onboarding.erased_users, onboarding.consents, onboarding.otp_counts, onboarding.refresh_tokens,
  onboarding.sessions, onboarding.partners, onboarding.users;
DROP FUNCTION onboarding.protect_user(), onboarding.require_user_gone(), onboarding.protect_erasure(),
  onboarding.protect_consent();
`;

/** Users, partners, sessions, counts of codes, consents, and erasures of users. */
export class CreateIdentity1764373000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statements of [TABLES, CONSENTS, ERASURES]) await runner.query(statements);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
