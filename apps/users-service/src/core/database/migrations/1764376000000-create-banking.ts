import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Bank accounts with their verification.
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
  -- whether the holder has been compared with the PAN
  is_compared boolean NOT NULL DEFAULT false,
  -- names that match in part wait for an operator before the account is registered
  name_review text CONSTRAINT ck_bank_accounts__name_review CHECK (name_review IN ('WAITING', 'ACCEPTED', 'REFUSED')),
  -- runs the verification; null before it begins
  provider text DEFAULT 'bank',
  CONSTRAINT uq_bank_accounts__user_id__account_index UNIQUE (user_id, account_index),
  CONSTRAINT ck_bank_accounts__account_index CHECK (octet_length(account_index) = 32),
  CONSTRAINT ck_bank_accounts__receipt CHECK (state <> 'PROCESSING' OR receipt IS NOT NULL),
  CONSTRAINT ck_bank_accounts__finding CHECK (state NOT IN ('VERIFIED', 'MISMATCHED') OR
    (name_at_bank_encrypted IS NOT NULL AND bank_name IS NOT NULL AND name_match IS NOT NULL)),
  CONSTRAINT ck_bank_accounts__lease CHECK ((lease_id IS NULL) = (leased_until IS NULL)),
  CONSTRAINT ck_bank_accounts__settled_at CHECK ((settled_at IS NULL) = (state IN ('DUE', 'PROCESSING')))
);
CREATE INDEX ix_bank_accounts__next_try_at ON onboarding.bank_accounts (next_try_at)
  WHERE state IN ('DUE', 'PROCESSING');
CREATE INDEX ix_bank_accounts__in_review ON onboarding.bank_accounts (settled_at) WHERE name_review = 'WAITING';
CREATE INDEX ix_bank_accounts__uncompared ON onboarding.bank_accounts (user_id)
  WHERE state = 'VERIFIED' AND NOT is_compared;

-- The registration of each account at each issuer.
CREATE TABLE onboarding.bank_syncs (
  id uuid CONSTRAINT pk_bank_syncs PRIMARY KEY,
  account_id uuid NOT NULL CONSTRAINT fk_bank_syncs__bank_accounts REFERENCES onboarding.bank_accounts (id),
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
  -- when the registration with the current key may first have reached the issuer; null: never, or the issuer has proved that it
  -- did nothing
  sent_at timestamptz,
  CONSTRAINT uq_bank_syncs__account_id__issuer_slug UNIQUE (account_id, issuer_slug),
  CONSTRAINT ck_bank_syncs__receipt CHECK (state <> 'ACCEPTED' OR receipt IS NOT NULL),
  CONSTRAINT ck_bank_syncs__reference CHECK (state <> 'SYNCED' OR reference IS NOT NULL),
  CONSTRAINT ck_bank_syncs__lease CHECK ((lease_id IS NULL) = (leased_until IS NULL)),
  CONSTRAINT ck_bank_syncs__settled_at CHECK ((settled_at IS NULL) = (state IN ('DUE', 'ACCEPTED')))
);
CREATE INDEX ix_bank_syncs__next_try_at ON onboarding.bank_syncs (next_try_at) WHERE state IN ('DUE', 'ACCEPTED');

-- Withdrawals from issuers that had registered an account before another person's name was found.
CREATE TABLE onboarding.bank_withdrawals (
  id uuid CONSTRAINT pk_bank_withdrawals PRIMARY KEY,
  account_id uuid NOT NULL CONSTRAINT fk_bank_withdrawals__bank_accounts REFERENCES onboarding.bank_accounts (id),
  issuer_slug text NOT NULL,
  reference text NOT NULL,
  state text NOT NULL DEFAULT 'DUE' CONSTRAINT ck_bank_withdrawals__state CHECK
    (state IN ('DUE', 'WITHDRAWN', 'KEPT', 'ABANDONED')),
  idempotency_key uuid NOT NULL,
  receipt text,
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamptz NOT NULL DEFAULT now(),
  lease_id uuid,
  leased_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  due_since timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  CONSTRAINT ck_bank_withdrawals__lease CHECK ((lease_id IS NULL) = (leased_until IS NULL)),
  CONSTRAINT ck_bank_withdrawals__settled_at CHECK ((settled_at IS NULL) = (state = 'DUE'))
);
CREATE INDEX ix_bank_withdrawals__next_try_at ON onboarding.bank_withdrawals (next_try_at) WHERE state = 'DUE';
CREATE UNIQUE INDEX uq_bank_withdrawals__due ON onboarding.bank_withdrawals (account_id, issuer_slug) WHERE state = 'DUE';

-- How often banks were asked for a user.
CREATE TABLE onboarding.bank_checks (
  id uuid CONSTRAINT pk_bank_checks PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_bank_checks__users REFERENCES onboarding.users (id),
  started_at timestamptz NOT NULL
);
CREATE INDEX ix_bank_checks__user_id__started_at ON onboarding.bank_checks (user_id, started_at);
CREATE INDEX ix_bank_checks__started_at ON onboarding.bank_checks (started_at);

-- Names that did not match the one at a bank, counted for each user and each account number. No foreign key on the user: the
-- daily count of an account outlives the erasure of a user who gave some of the names.
CREATE TABLE onboarding.bank_mismatches (
  id uuid CONSTRAINT pk_bank_mismatches PRIMARY KEY,
  user_id uuid NOT NULL,
  account_index bytea NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT ck_bank_mismatches__account_index CHECK (octet_length(account_index) = 32)
);
CREATE INDEX ix_bank_mismatches__user_id__created_at ON onboarding.bank_mismatches (user_id, created_at);
CREATE INDEX ix_bank_mismatches__account_index__created_at ON onboarding.bank_mismatches (account_index, created_at);
CREATE INDEX ix_bank_mismatches__created_at ON onboarding.bank_mismatches (created_at);
`;

const DOWN = `
DROP TABLE onboarding.bank_mismatches, onboarding.bank_checks, onboarding.bank_withdrawals, onboarding.bank_syncs,
  onboarding.bank_accounts;
`;

/** Bank accounts, their registrations at issuers and withdrawals from them, and counts of checks. */
export class CreateBanking1764376000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
