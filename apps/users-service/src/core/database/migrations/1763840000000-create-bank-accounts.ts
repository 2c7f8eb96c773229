import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Bank accounts with their verification, and the registration of each at each issuer. */
export class CreateBankAccounts1763840000000 implements MigrationInterface {
  name = 'CreateBankAccounts1763840000000';

  async up(runner: QueryRunner): Promise<void> {
    await createAccounts(runner);
    await createSyncs(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.bank_syncs');
    await runner.query('DROP TABLE onboarding.bank_accounts');
  }
}

async function createAccounts(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE onboarding.bank_accounts (
      id uuid CONSTRAINT pk_bank_accounts PRIMARY KEY,
      user_id uuid NOT NULL CONSTRAINT fk_bank_accounts__users REFERENCES onboarding.users (id),
      account_index bytea NOT NULL,
      account_encrypted text NOT NULL,
      holder_encrypted text NOT NULL,
      name_at_bank_encrypted text,
      bank_name text,
      name_match jsonb,
      state text NOT NULL DEFAULT 'DUE' CONSTRAINT ck_bank_accounts__state CHECK
        (state IN ('DUE', 'PROCESSING', 'VERIFIED', 'MISMATCHED', 'BLOCKED', 'INVALID', 'ABANDONED')),
      idempotency_key uuid NOT NULL,
      receipt text,
      tries integer NOT NULL DEFAULT 0,
      next_try_at timestamptz NOT NULL,
      lease_id uuid,
      leased_until timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      asked_at timestamptz NOT NULL DEFAULT now(),
      due_since timestamptz NOT NULL DEFAULT now(),
      settled_at timestamptz,
      CONSTRAINT uq_bank_accounts__user_id__account_index UNIQUE (user_id, account_index),
      CONSTRAINT ck_bank_accounts__account_index CHECK (octet_length(account_index) = 32),
      CONSTRAINT ck_bank_accounts__receipt CHECK (state <> 'PROCESSING' OR receipt IS NOT NULL),
      CONSTRAINT ck_bank_accounts__finding CHECK (state NOT IN ('VERIFIED', 'MISMATCHED') OR
        (name_at_bank_encrypted IS NOT NULL AND bank_name IS NOT NULL AND name_match IS NOT NULL)),
      CONSTRAINT ck_bank_accounts__lease CHECK ((lease_id IS NULL) = (leased_until IS NULL)),
      CONSTRAINT ck_bank_accounts__settled_at
        CHECK ((settled_at IS NULL) = (state IN ('DUE', 'PROCESSING')))
    )`);
  await runner.query(`CREATE INDEX ix_bank_accounts__next_try_at ON onboarding.bank_accounts (next_try_at)
    WHERE state IN ('DUE', 'PROCESSING')`);
}

async function createSyncs(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE onboarding.bank_syncs (
      id uuid CONSTRAINT pk_bank_syncs PRIMARY KEY,
      account_id uuid NOT NULL
        CONSTRAINT fk_bank_syncs__bank_accounts REFERENCES onboarding.bank_accounts (id),
      issuer_slug text NOT NULL,
      state text NOT NULL DEFAULT 'DUE' CONSTRAINT ck_bank_syncs__state CHECK
        (state IN ('DUE', 'ACCEPTED', 'SYNCED', 'INVALID', 'DROPPED', 'ABANDONED')),
      idempotency_key uuid NOT NULL,
      receipt text,
      reference text,
      tries integer NOT NULL DEFAULT 0,
      next_try_at timestamptz NOT NULL,
      lease_id uuid,
      leased_until timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      asked_at timestamptz NOT NULL DEFAULT now(),
      due_since timestamptz NOT NULL DEFAULT now(),
      settled_at timestamptz,
      CONSTRAINT uq_bank_syncs__account_id__issuer_slug UNIQUE (account_id, issuer_slug),
      CONSTRAINT ck_bank_syncs__receipt CHECK (state <> 'ACCEPTED' OR receipt IS NOT NULL),
      CONSTRAINT ck_bank_syncs__reference CHECK (state <> 'SYNCED' OR reference IS NOT NULL),
      CONSTRAINT ck_bank_syncs__lease CHECK ((lease_id IS NULL) = (leased_until IS NULL)),
      CONSTRAINT ck_bank_syncs__settled_at CHECK ((settled_at IS NULL) = (state IN ('DUE', 'ACCEPTED')))
    )`);
  await runner.query(`CREATE INDEX ix_bank_syncs__next_try_at ON onboarding.bank_syncs (next_try_at)
    WHERE state IN ('DUE', 'ACCEPTED')`);
}
