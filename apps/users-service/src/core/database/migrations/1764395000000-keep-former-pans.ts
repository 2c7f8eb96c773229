import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- The last PAN of an account that has lost it: who proves this PAN in another account is the person of both. The rows go with their user,
-- because the former release erases users without them.
CREATE TABLE onboarding.former_pan_holders (
  user_id uuid CONSTRAINT pk_former_pan_holders PRIMARY KEY
    CONSTRAINT fk_former_pan_holders__users REFERENCES onboarding.users (id) ON DELETE CASCADE,
  pan_index bytea NOT NULL CONSTRAINT ck_former_pan_holders__pan_index CHECK (octet_length(pan_index) = 32)
);
`;

const DOWN = `
DROP TABLE onboarding.former_pan_holders;
`;

/** Keeps the PAN that an account has lost, by which an email address finds the person's new account. */
export class KeepFormerPans1764395000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
