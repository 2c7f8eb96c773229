import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- The last PAN of an account that has lost it: who proves this PAN in another account is the person of both.
CREATE TABLE onboarding.former_pan_holders (
  user_id uuid CONSTRAINT pk_former_pan_holders PRIMARY KEY
    CONSTRAINT fk_former_pan_holders__users REFERENCES onboarding.users (id),
  pan_index bytea NOT NULL CONSTRAINT ck_former_pan_holders__pan_index CHECK (octet_length(pan_index) = 32)
);
CREATE INDEX ix_former_pan_holders__pan_index ON onboarding.former_pan_holders (pan_index);
`;

const DOWN = `
DROP TABLE onboarding.former_pan_holders;
`;

/** By which PAN the former accounts of a person are known. */
export class KeepFormerPans1764395000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
