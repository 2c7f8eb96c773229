import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers of issuers about each user: whether the user is a customer, and the leads opened with the issuer. */
export class CreateIssuerRecords1763821000000 implements MigrationInterface {
  name = 'CreateIssuerRecords1763821000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      )`);
    await runner.query(`
      CREATE TABLE onboarding.leads (
        id uuid CONSTRAINT pk_leads PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_leads__users REFERENCES onboarding.users (id),
        issuer_slug text NOT NULL,
        state text NOT NULL
          CONSTRAINT ck_leads__state CHECK (state IN ('OPENING', 'OPEN', 'EXPIRED', 'CONVERTED')),
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
        CONSTRAINT ck_leads__opened CHECK
          (state = 'OPENING' OR (issuer_lead_id IS NOT NULL AND expires_at IS NOT NULL))
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX uq_leads__open
        ON onboarding.leads (user_id, issuer_slug) WHERE state IN ('OPENING', 'OPEN')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.leads');
    await runner.query('DROP TABLE onboarding.existing_customers');
  }
}
