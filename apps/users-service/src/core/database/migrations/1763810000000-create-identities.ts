import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers of the PAN registry by user, and counts of look-ups. */
export class CreateIdentities1763810000000 implements MigrationInterface {
  name = 'CreateIdentities1763810000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.identities (
        user_id uuid CONSTRAINT pk_identities PRIMARY KEY
          CONSTRAINT fk_identities__users REFERENCES onboarding.users (id),
        verification_id uuid NOT NULL CONSTRAINT uq_identities__verification_id UNIQUE,
        pan_index bytea NOT NULL CONSTRAINT uq_identities__pan_index UNIQUE,
        pan_encrypted text NOT NULL,
        dob_encrypted text NOT NULL,
        names_encrypted text NOT NULL,
        pan_status text NOT NULL CONSTRAINT ck_identities__pan_status CHECK (pan_status IN ('VALID')),
        aadhaar_seeding_status text NOT NULL CONSTRAINT ck_identities__aadhaar_seeding_status
          CHECK (aadhaar_seeding_status IN ('LINKED', 'NOT_LINKED', 'NA')),
        verified_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT ck_identities__pan_index CHECK (octet_length(pan_index) = 32)
      )`);
    await runner.query(`
      CREATE TABLE onboarding.pan_lookups (
        id uuid CONSTRAINT pk_pan_lookups PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_pan_lookups__users REFERENCES onboarding.users (id),
        started_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX ix_pan_lookups__user_id ON onboarding.pan_lookups (user_id)');
    await runner.query('CREATE INDEX ix_pan_lookups__started_at ON onboarding.pan_lookups (started_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.pan_lookups');
    await runner.query('DROP TABLE onboarding.identities');
  }
}
