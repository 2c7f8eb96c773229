import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
CREATE TABLE catalogue.issuers (
  issuer_id uuid NOT NULL,
  number integer NOT NULL,
  code text NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  issuer_type text NOT NULL,
  compounding text NOT NULL,
  quote_switches jsonb NOT NULL,
  senior_benefit numeric NOT NULL,
  women_benefit numeric NOT NULL,
  payout_frequencies text[] NOT NULL,
  sells_women_rate boolean NOT NULL,
  sells_tax_saver boolean NOT NULL,
  url text NOT NULL,
  sub_logo text NOT NULL,
  crisil_rating text NOT NULL,
  icra_rating text NOT NULL,
  trusted_users text NOT NULL,
  subtag_1 text NOT NULL,
  subtag_2 text NOT NULL,
  bank_type text NOT NULL,
  hero_tag text,
  faq text,
  utm_url text,
  pg_setting text,
  bank_disabled_at timestamptz,
  deleted_at timestamptz,
  upcoming_bank_date timestamptz,
  baseline_issuer_rank integer,
  active_issuer_rank integer NOT NULL,
  is_range_required boolean NOT NULL,
  is_upcoming_bank boolean NOT NULL,
  enable_our_pg boolean NOT NULL,
  enable_easy_split boolean NOT NULL,
  is_nominee_required boolean NOT NULL,
  is_live boolean NOT NULL,
  renewal_options jsonb NOT NULL,
  -- the terms of early withdrawal, for fact sheets; null until an import has them
  premature_withdrawal jsonb,
  CONSTRAINT pk_issuers PRIMARY KEY (issuer_id),
  -- deferrable: an import may let two issuers exchange their names
  CONSTRAINT uq_issuers__number UNIQUE (number) DEFERRABLE,
  CONSTRAINT uq_issuers__code UNIQUE (code) DEFERRABLE,
  CONSTRAINT uq_issuers__slug UNIQUE (slug) DEFERRABLE,
  CONSTRAINT ck_issuers__issuer_type CHECK (issuer_type IN ('BANK', 'NBFC')),
  CONSTRAINT ck_issuers__compounding
    CHECK (compounding IN ('Simple', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly')),
  CONSTRAINT ck_issuers__payout_frequencies CHECK (
    cardinality(payout_frequencies) > 0
    AND payout_frequencies <@ ARRAY['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly']
  ),
  CONSTRAINT ck_issuers__senior_benefit CHECK (senior_benefit BETWEEN 0 AND 5),
  CONSTRAINT ck_issuers__women_benefit CHECK (women_benefit BETWEEN 0 AND 5),
  CONSTRAINT ck_issuers__quote_switches CHECK (jsonb_typeof(quote_switches) = 'object'),
  CONSTRAINT ck_issuers__renewal_options CHECK (jsonb_typeof(renewal_options) = 'object')
);

CREATE TABLE catalogue.vehicles (
  vehicle_id uuid NOT NULL,
  issuer_id uuid NOT NULL,
  product_id text NOT NULL,
  product_type text NOT NULL,
  details text NOT NULL,
  issuer_commission text NOT NULL,
  self_commission text NOT NULL,
  rank integer,
  payout_frequency text NOT NULL,
  rate numeric NOT NULL,
  min_tenure integer NOT NULL,
  max_tenure integer NOT NULL,
  min_investment integer NOT NULL,
  max_investment integer NOT NULL,
  tenure_label text NOT NULL,
  is_senior_only boolean NOT NULL,
  is_women_only boolean NOT NULL,
  is_tax_saver boolean NOT NULL,
  has_early_withdrawal boolean NOT NULL,
  is_visible boolean NOT NULL,
  lock_in_period text NOT NULL,
  effective_at timestamptz NOT NULL,
  ineffective_at timestamptz,
  CONSTRAINT pk_vehicles PRIMARY KEY (vehicle_id),
  CONSTRAINT fk_vehicles__issuer
    FOREIGN KEY (issuer_id) REFERENCES catalogue.issuers (issuer_id) ON DELETE CASCADE,
  CONSTRAINT ck_vehicles__product_type CHECK (product_type IN ('FD')),
  CONSTRAINT ck_vehicles__payout_frequency
    CHECK (payout_frequency IN ('Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly')),
  CONSTRAINT ck_vehicles__rate CHECK (rate > 0 AND rate <= 15),
  CONSTRAINT ck_vehicles__tenure CHECK (min_tenure BETWEEN 1 AND max_tenure),
  CONSTRAINT ck_vehicles__investment CHECK (min_investment BETWEEN 1 AND max_investment),
  CONSTRAINT ck_vehicles__effective CHECK (ineffective_at IS NULL OR ineffective_at > effective_at)
);
CREATE INDEX ix_vehicles__issuer ON catalogue.vehicles (issuer_id);

CREATE TABLE catalogue.revisions (
  revision_id bigint GENERATED ALWAYS AS IDENTITY,
  checksum text NOT NULL,
  issuer_count integer NOT NULL,
  vehicle_count integer NOT NULL,
  changes text[] NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT pk_revisions PRIMARY KEY (revision_id),
  CONSTRAINT ck_revisions__checksum CHECK (checksum ~ '^[0-9a-f]{64}$')
);

CREATE TABLE catalogue.api_keys (
  key_id uuid NOT NULL,
  client text NOT NULL,
  prefix text NOT NULL,
  key_hash text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz,
  calls_per_minute integer NOT NULL DEFAULT 60000
    CONSTRAINT ck_api_keys__calls_per_minute CHECK (calls_per_minute > 0),
  CONSTRAINT pk_api_keys PRIMARY KEY (key_id),
  CONSTRAINT uq_api_keys__key_hash UNIQUE (key_hash),
  CONSTRAINT ck_api_keys__client CHECK (client <> ''),
  CONSTRAINT ck_api_keys__key_hash CHECK (key_hash ~ '^[0-9a-f]{64}$')
);
`;

const DOWN = `
DROP TABLE catalogue.api_keys;
DROP TABLE catalogue.revisions;
DROP TABLE catalogue.vehicles;
DROP TABLE catalogue.issuers;
`;

/** The catalogue's tables. `migrate` creates the schema before the first migration. */
export class CreateCatalogue1764371000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
