import type { MigrationInterface, QueryRunner } from 'typeorm';

/** PAN checks as durable calls. The request's data is kept until the registry has answered. */
export class CreatePanChecks1763903000000 implements MigrationInterface {
  name = 'CreatePanChecks1763903000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      )`);
    await runner.query('CREATE INDEX ix_pan_checks__user_id ON onboarding.pan_checks (user_id)');
    await runner.query(`CREATE INDEX ix_pan_checks__next_try_at ON onboarding.pan_checks (next_try_at)
      WHERE state = 'DUE'`);
    await runner.query(`CREATE INDEX ix_pan_checks__settled_at ON onboarding.pan_checks (settled_at)
      WHERE settled_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.pan_checks');
  }
}
