import type { MigrationInterface, QueryRunner } from 'typeorm';

const LEADS_AND_DETAILS = `
-- Leads opened with issuers.
CREATE TABLE onboarding.leads (
  id uuid CONSTRAINT pk_leads PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_leads__users REFERENCES onboarding.users (id),
  issuer_slug text NOT NULL,
  state text NOT NULL CONSTRAINT ck_leads__state CHECK (state IN ('OPENING', 'OPEN', 'EXPIRED', 'CONVERTED')),
  amount numeric(17, 2),
  tenure_days integer,
  payout_frequency text,
  source text,
  campaign text,
  issuer_lead_id text,
  expires_at timestamptz,
  kyc_context_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT ck_leads__opened CHECK (state = 'OPENING' OR (issuer_lead_id IS NOT NULL AND expires_at IS NOT NULL))
);
CREATE UNIQUE INDEX uq_leads__open ON onboarding.leads (user_id, issuer_slug) WHERE state IN ('OPENING', 'OPEN');

-- The details that issuers require of a person.
CREATE TABLE onboarding.personal_details (
  user_id uuid CONSTRAINT pk_personal_details PRIMARY KEY
    CONSTRAINT fk_personal_details__users REFERENCES onboarding.users (id),
  details_encrypted text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
`;

/** An attacker on the service can neither date declarations back, nor change or delete those of a person who is not erased. */
const DECLARATIONS = `
-- The declarations that a person has accepted, each text once.
CREATE TABLE onboarding.accepted_declarations (
  user_id uuid NOT NULL CONSTRAINT fk_accepted_declarations__users REFERENCES onboarding.users (id),
  code text NOT NULL,
  version text NOT NULL,
  accepted_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT pk_accepted_declarations PRIMARY KEY (user_id, code, version)
);

CREATE FUNCTION onboarding.protect_declaration() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM onboarding.erased_users WHERE user_id = OLD.user_id) THEN
    RAISE EXCEPTION 'declarations are kept until their user is erased';
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER tr_accepted_declarations__about_now BEFORE INSERT ON onboarding.accepted_declarations FOR EACH ROW
  WHEN (NEW.accepted_at IS DISTINCT FROM now()) EXECUTE FUNCTION onboarding.refuse_backdating();
CREATE TRIGGER tr_accepted_declarations__kept BEFORE DELETE
  ON onboarding.accepted_declarations FOR EACH ROW EXECUTE FUNCTION onboarding.protect_declaration();
CREATE TRIGGER tr_accepted_declarations__append_only BEFORE UPDATE OR TRUNCATE
  ON onboarding.accepted_declarations FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change();
`;

const NOMINEES = `
CREATE TABLE onboarding.nominees (
  id uuid CONSTRAINT pk_nominees PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_nominees__users REFERENCES onboarding.users (id),
  person_encrypted text NOT NULL,
  nomination_type text NOT NULL CONSTRAINT ck_nominees__nomination_type
    CHECK (nomination_type IN ('SIMULTANEOUS', 'SUCCESSIVE')),
  -- in hundredths of a percent
  share integer NOT NULL CONSTRAINT ck_nominees__share CHECK (share BETWEEN 100 AND 10000),
  priority integer,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT uq_nominees__user_id__priority UNIQUE (user_id, priority),
  CONSTRAINT ck_nominees__priority CHECK ((nomination_type = 'SUCCESSIVE') = (priority IS NOT NULL) AND priority >= 1)
);
CREATE INDEX ix_nominees__user_id ON onboarding.nominees (user_id);

-- Declarations to name no nominee.
CREATE TABLE onboarding.nominee_waivers (
  id uuid CONSTRAINT pk_nominee_waivers PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_nominee_waivers__users REFERENCES onboarding.users (id),
  issuer_slug text,
  declaration_version text NOT NULL,
  declared_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  -- rows stay for years, so the service's role cannot add one of any size
  CONSTRAINT ck_nominee_waivers__declaration_version
    CHECK (octet_length(coalesce(issuer_slug, '') || declaration_version) <= 500)
);
CREATE UNIQUE INDEX uq_nominee_waivers__user_id ON onboarding.nominee_waivers (user_id) WHERE ended_at IS NULL;
-- for the clean-up: only over ended waivers, which are few
CREATE INDEX ix_nominee_waivers__ended_at ON onboarding.nominee_waivers (ended_at) WHERE ended_at IS NOT NULL;

CREATE TRIGGER tr_nominee_waivers__about_now BEFORE INSERT ON onboarding.nominee_waivers FOR EACH ROW
  WHEN (NEW.declared_at IS DISTINCT FROM now() OR NEW.ended_at IS NOT NULL)
  EXECUTE FUNCTION onboarding.refuse_backdating();
CREATE TRIGGER tr_nominee_waivers__kept BEFORE DELETE ON onboarding.nominee_waivers
  FOR EACH ROW WHEN (OLD.ended_at IS NULL OR OLD.ended_at >= now() - interval '7 years')
  EXECUTE FUNCTION onboarding.protect_declaration();

CREATE FUNCTION onboarding.protect_waiver() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF to_jsonb(NEW) - 'ended_at' IS DISTINCT FROM to_jsonb(OLD) - 'ended_at'
    OR (NEW.ended_at IS DISTINCT FROM OLD.ended_at
        AND (OLD.ended_at IS NOT NULL OR NEW.ended_at IS DISTINCT FROM now())) THEN
    RAISE EXCEPTION 'waivers are ended, and not changed otherwise';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER tr_nominee_waivers__protected BEFORE UPDATE
  ON onboarding.nominee_waivers FOR EACH ROW EXECUTE FUNCTION onboarding.protect_waiver();
`;

const DOWN = `
DROP TABLE onboarding.nominee_waivers, onboarding.nominees, onboarding.accepted_declarations, onboarding.personal_details,
  onboarding.leads;
DROP FUNCTION onboarding.protect_waiver(), onboarding.protect_declaration();
`;

/** Leads, personal details, accepted declarations, and nominees. */
export class CreateApplication1764377000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statements of [LEADS_AND_DETAILS, DECLARATIONS, NOMINEES]) await runner.query(statements);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
