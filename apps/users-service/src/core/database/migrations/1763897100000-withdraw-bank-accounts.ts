import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Withdrawals of bank accounts from issuers that had registered them before another person's name was found. */
export class WithdrawBankAccounts1763897100000 implements MigrationInterface {
  name = 'WithdrawBankAccounts1763897100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.bank_withdrawals (
        id uuid CONSTRAINT pk_bank_withdrawals PRIMARY KEY,
        account_id uuid NOT NULL
          CONSTRAINT fk_bank_withdrawals__bank_accounts REFERENCES onboarding.bank_accounts (id),
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
      )`);
    await runner.query(`CREATE INDEX ix_bank_withdrawals__next_try_at ON onboarding.bank_withdrawals (next_try_at)
      WHERE state = 'DUE'`);
    await runner.query(`CREATE UNIQUE INDEX uq_bank_withdrawals__due
      ON onboarding.bank_withdrawals (account_id, issuer_slug) WHERE state = 'DUE'`);
    await runner.query(`CREATE INDEX ix_bank_accounts__uncompared ON onboarding.bank_accounts (user_id)
      WHERE state = 'VERIFIED' AND NOT is_compared`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX onboarding.ix_bank_accounts__uncompared');
    await runner.query('DROP TABLE onboarding.bank_withdrawals');
  }
}
