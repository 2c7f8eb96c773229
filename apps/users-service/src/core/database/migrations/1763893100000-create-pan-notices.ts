import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Short messages to users whose PAN was taken over. */
export class CreatePanNotices1763893100000 implements MigrationInterface {
  name = 'CreatePanNotices1763893100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      )`);
    await runner.query(`CREATE INDEX ix_pan_notices__next_try_at ON onboarding.pan_notices (next_try_at)
      WHERE state = 'DUE'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.pan_notices');
  }
}
