import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The details that issuers require of a person, and the declarations that the person has accepted, each text once. */
export class CreatePersonalDetails1763831000000 implements MigrationInterface {
  name = 'CreatePersonalDetails1763831000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.personal_details (
        user_id uuid CONSTRAINT pk_personal_details PRIMARY KEY
          CONSTRAINT fk_personal_details__users REFERENCES onboarding.users (id),
        details_encrypted text NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE onboarding.accepted_declarations (
        user_id uuid NOT NULL
          CONSTRAINT fk_accepted_declarations__users REFERENCES onboarding.users (id),
        code text NOT NULL,
        version text NOT NULL,
        accepted_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_accepted_declarations PRIMARY KEY (user_id, code, version)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.accepted_declarations');
    await runner.query('DROP TABLE onboarding.personal_details');
  }
}
