import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The answer of the PAN registry. */
const ANSWER = (table: string, panRule = ''): string => `
  user_id uuid CONSTRAINT pk_${table} PRIMARY KEY CONSTRAINT fk_${table}__users REFERENCES onboarding.users (id),
  verification_id uuid NOT NULL CONSTRAINT uq_${table}__verification_id UNIQUE,
  pan_index bytea NOT NULL ${panRule},
  pan_encrypted text NOT NULL,
  dob_encrypted text NOT NULL,
  names_encrypted text NOT NULL,
  pan_status text NOT NULL CONSTRAINT ck_${table}__pan_status CHECK (pan_status IN ('VALID')),
  aadhaar_seeding_status text NOT NULL CONSTRAINT ck_${table}__aadhaar_seeding_status
    CHECK (aadhaar_seeding_status IN ('LINKED', 'NOT_LINKED', 'NA')),
  verified_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT ck_${table}__pan_index CHECK (octet_length(pan_index) = 32)`;

const PAN = `
CREATE TABLE onboarding.identities (
  ${ANSWER('identities', 'CONSTRAINT uq_identities__pan_index UNIQUE')},
  -- whether the registry compared the date of birth; the default proves nothing
  is_dob_compared boolean NOT NULL DEFAULT false
);

-- A later user may claim a PAN that another user has verified: the registry's answer is kept until an eKYC decides.
CREATE TABLE onboarding.contested_identities (
  ${ANSWER('contested_identities')}
);
CREATE INDEX ix_contested_identities__verified_at ON onboarding.contested_identities (verified_at);

CREATE TABLE onboarding.pan_lookups (
  id uuid CONSTRAINT pk_pan_lookups PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_pan_lookups__users REFERENCES onboarding.users (id),
  started_at timestamptz NOT NULL
);
CREATE INDEX ix_pan_lookups__user_id ON onboarding.pan_lookups (user_id);
CREATE INDEX ix_pan_lookups__started_at ON onboarding.pan_lookups (started_at);

-- PAN checks as durable calls. The request's data is kept until the registry has answered.
CREATE TABLE onboarding.pan_checks (
  id uuid CONSTRAINT pk_pan_checks PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_pan_checks__users REFERENCES onboarding.users (id),
  state text NOT NULL DEFAULT 'DUE' CONSTRAINT ck_pan_checks__state CHECK (state IN ('DUE', 'VERIFIED', 'REFUSED')),
  claim_index bytea,
  claim_encrypted text,
  refusal text,
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamptz NOT NULL,
  lease_id uuid,
  leased_until timestamptz,
  due_since timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  CONSTRAINT ck_pan_checks__claim CHECK (num_nonnulls(claim_index, claim_encrypted) = CASE state WHEN 'DUE' THEN 2 ELSE 0 END),
  CONSTRAINT ck_pan_checks__refusal CHECK ((refusal IS NOT NULL) = (state = 'REFUSED')),
  CONSTRAINT ck_pan_checks__lease CHECK ((lease_id IS NULL) = (leased_until IS NULL)),
  CONSTRAINT ck_pan_checks__settled_at CHECK ((settled_at IS NULL) = (state = 'DUE'))
);
CREATE INDEX ix_pan_checks__user_id ON onboarding.pan_checks (user_id);
CREATE INDEX ix_pan_checks__next_try_at ON onboarding.pan_checks (next_try_at) WHERE state = 'DUE';
CREATE INDEX ix_pan_checks__settled_at ON onboarding.pan_checks (settled_at) WHERE settled_at IS NOT NULL;

-- Short messages to users whose PAN was taken over.
CREATE TABLE onboarding.pan_notices (
  id uuid CONSTRAINT pk_pan_notices PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_pan_notices__users REFERENCES onboarding.users (id),
  state text NOT NULL DEFAULT 'DUE' CONSTRAINT ck_pan_notices__state CHECK (state IN ('DUE', 'SENT', 'ABANDONED')),
  idempotency_key uuid NOT NULL,
  receipt text,
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamptz NOT NULL DEFAULT now(),
  lease_id uuid,
  leased_until timestamptz,
  due_since timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  CONSTRAINT ck_pan_notices__lease CHECK ((lease_id IS NULL) = (leased_until IS NULL)),
  CONSTRAINT ck_pan_notices__settled_at CHECK ((settled_at IS NULL) = (state = 'DUE'))
);
CREATE INDEX ix_pan_notices__next_try_at ON onboarding.pan_notices (next_try_at) WHERE state = 'DUE';
CREATE INDEX ix_pan_notices__settled_at ON onboarding.pan_notices (settled_at) WHERE settled_at IS NOT NULL;
`;

const EXISTING_CUSTOMERS = `
-- Whether each issuer knows the user as a customer.
CREATE TABLE onboarding.existing_customers (
  id uuid CONSTRAINT pk_existing_customers PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_existing_customers__users REFERENCES onboarding.users (id),
  issuer_slug text NOT NULL,
  is_existing boolean NOT NULL,
  is_kyc_complete boolean NOT NULL,
  customer_id_encrypted text,
  matched_on text[] NOT NULL,
  checked_at timestamptz NOT NULL,
  CONSTRAINT uq_existing_customers__user_issuer UNIQUE (user_id, issuer_slug),
  CONSTRAINT ck_existing_customers__customer CHECK (is_existing = (customer_id_encrypted IS NOT NULL)),
  CONSTRAINT ck_existing_customers__kyc CHECK (is_existing OR NOT is_kyc_complete),
  CONSTRAINT ck_existing_customers__matched_on CHECK (matched_on <@ ARRAY['PAN', 'PHONE'])
);
`;

/** Links are encrypted: anyone can use a link. */
const EKYC = `
-- At most one open request for a user and an issuer. status is the answer to the client; state says whether the worker still polls
-- the provider for its result.
CREATE TABLE onboarding.ekyc_requests (
  id uuid CONSTRAINT pk_ekyc_requests PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_ekyc_requests__users REFERENCES onboarding.users (id),
  issuer_slug text NOT NULL,
  method text NOT NULL,
  status text NOT NULL CONSTRAINT ck_ekyc_requests__status
    CHECK (status IN ('REQUESTED', 'LINK_CREATED', 'IN_PROGRESS', 'VERIFIED', 'FAILED', 'EXPIRED')),
  redirect_url_encrypted text,
  url_encrypted text,
  expires_at timestamptz,
  is_compared boolean NOT NULL,
  is_retry boolean NOT NULL DEFAULT false,
  aadhaar_transaction text,
  aadhaar_checks smallint NOT NULL DEFAULT 0,
  aadhaar_encrypted text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- the verification of the PAN: the request proves nothing about another PAN of the same user
  compared_with uuid,
  state text NOT NULL DEFAULT 'DUE'
    CONSTRAINT ck_ekyc_requests__state CHECK (state IN ('DUE', 'FOLLOWED', 'SETTLED', 'ABANDONED')),
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamptz NOT NULL DEFAULT now(),
  lease_id uuid,
  leased_until timestamptz,
  due_since timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  -- at which a hosted request was opened; null: at none
  provider text DEFAULT 'ekyc',
  -- whether the document of a verified eKYC had the full date of birth
  is_full_date boolean
);
CREATE UNIQUE INDEX uq_ekyc_requests__live ON onboarding.ekyc_requests (user_id, issuer_slug)
  WHERE status IN ('REQUESTED', 'LINK_CREATED', 'IN_PROGRESS');
CREATE INDEX ix_ekyc_requests__user ON onboarding.ekyc_requests (user_id, issuer_slug, created_at);
CREATE INDEX ix_ekyc_requests__next_try_at ON onboarding.ekyc_requests (next_try_at)
  WHERE state IN ('DUE', 'FOLLOWED') AND status <> 'REQUESTED';

CREATE FUNCTION onboarding.name_compared_verification() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- a writer that does not name the verification compares with the user's identity
  IF NEW.is_compared AND NEW.compared_with IS NULL THEN
    SELECT verification_id INTO NEW.compared_with FROM onboarding.identities WHERE user_id = NEW.user_id;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER tr_ekyc_requests__compared_with BEFORE INSERT ON onboarding.ekyc_requests
  FOR EACH ROW EXECUTE FUNCTION onboarding.name_compared_verification();

-- The worker polls each locker session until its result, as it does for requests.
CREATE TABLE onboarding.locker_sessions (
  id uuid CONSTRAINT pk_locker_sessions PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_locker_sessions__users REFERENCES onboarding.users (id),
  ekyc_request_id uuid NOT NULL
    CONSTRAINT fk_locker_sessions__ekyc_requests REFERENCES onboarding.ekyc_requests (id),
  redirect_index bytea,
  locker_id text,
  url_encrypted text,
  expires_at timestamptz,
  refusal_code text,
  created_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'DUE'
    CONSTRAINT ck_locker_sessions__state CHECK (state IN ('DUE', 'FOLLOWED', 'SETTLED', 'ABANDONED')),
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamptz NOT NULL DEFAULT now(),
  lease_id uuid,
  leased_until timestamptz,
  due_since timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  -- at which the session was opened; null: at none
  provider text DEFAULT 'document-locker',
  -- keyed hash of the origin to which the session returns; null: to none
  origin_index bytea CONSTRAINT ck_locker_sessions__origin_index CHECK (octet_length(origin_index) = 32),
  CONSTRAINT ck_locker_sessions__redirect_index CHECK (octet_length(redirect_index) = 32)
);
CREATE INDEX ix_locker_sessions__ekyc_request_id ON onboarding.locker_sessions (ekyc_request_id);
CREATE INDEX ix_locker_sessions__user_id ON onboarding.locker_sessions (user_id, created_at);
CREATE INDEX ix_locker_sessions__next_try_at ON onboarding.locker_sessions (next_try_at)
  WHERE state IN ('DUE', 'FOLLOWED') AND locker_id IS NOT NULL;

-- Aadhaar codes that each user has caused.
CREATE TABLE onboarding.aadhaar_sends (
  id uuid CONSTRAINT pk_aadhaar_sends PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_aadhaar_sends__users REFERENCES onboarding.users (id),
  started_at timestamptz NOT NULL
);
CREATE INDEX ix_aadhaar_sends__user_id ON onboarding.aadhaar_sends (user_id, started_at);
CREATE INDEX ix_aadhaar_sends__started_at ON onboarding.aadhaar_sends (started_at);
`;

const DOWN = `
DROP TABLE onboarding.aadhaar_sends, onboarding.locker_sessions, onboarding.ekyc_requests, onboarding.existing_customers,
  onboarding.pan_notices, onboarding.pan_checks, onboarding.pan_lookups, onboarding.contested_identities, onboarding.identities;
DROP FUNCTION onboarding.name_compared_verification();
`;

/** PANs with their checks and claims, customers whom issuers know, and eKYC requests with their locker sessions. */
export class CreateKyc1764375000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statements of [PAN, EXISTING_CUSTOMERS, EKYC]) await runner.query(statements);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
