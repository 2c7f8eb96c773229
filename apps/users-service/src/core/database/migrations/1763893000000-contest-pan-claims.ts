import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A later user may claim a PAN that another user has verified: the registry's answer is kept until an eKYC
 * decides. Each request for eKYC names the verification of the PAN that it is compared with, so that it proves nothing about
 * another PAN of the same user.
 */
export class ContestPanClaims1763893000000 implements MigrationInterface {
  name = 'ContestPanClaims1763893000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.contested_identities (
        user_id uuid CONSTRAINT pk_contested_identities PRIMARY KEY
          CONSTRAINT fk_contested_identities__users REFERENCES onboarding.users (id),
        verification_id uuid NOT NULL CONSTRAINT uq_contested_identities__verification_id UNIQUE,
        pan_index bytea NOT NULL,
        pan_encrypted text NOT NULL,
        dob_encrypted text NOT NULL,
        names_encrypted text NOT NULL,
        pan_status text NOT NULL CONSTRAINT ck_contested_identities__pan_status CHECK (pan_status IN ('VALID')),
        aadhaar_seeding_status text NOT NULL CONSTRAINT ck_contested_identities__aadhaar_seeding_status
          CHECK (aadhaar_seeding_status IN ('LINKED', 'NOT_LINKED', 'NA')),
        verified_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT ck_contested_identities__pan_index CHECK (octet_length(pan_index) = 32)
      )`);
    await runner.query(
      'CREATE INDEX ix_contested_identities__verified_at ON onboarding.contested_identities (verified_at)',
    );
    await runner.query('ALTER TABLE onboarding.ekyc_requests ADD COLUMN compared_with uuid');
    await runner.query(`
      CREATE FUNCTION onboarding.name_compared_verification() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          -- the former release compares with the user's identity and does not name it
          IF NEW.is_compared AND NEW.compared_with IS NULL THEN
            SELECT verification_id INTO NEW.compared_with FROM onboarding.identities WHERE user_id = NEW.user_id;
          END IF;
          RETURN NEW;
        END
      $$`);
    await runner.query(`
      CREATE TRIGGER tr_ekyc_requests__compared_with BEFORE INSERT ON onboarding.ekyc_requests
        FOR EACH ROW EXECUTE FUNCTION onboarding.name_compared_verification()`);
    await runner.query(`
      UPDATE onboarding.ekyc_requests r SET compared_with = i.verification_id
        FROM onboarding.identities i WHERE i.user_id = r.user_id AND r.is_compared`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER tr_ekyc_requests__compared_with ON onboarding.ekyc_requests');
    await runner.query('DROP FUNCTION onboarding.name_compared_verification()');
    await runner.query('ALTER TABLE onboarding.ekyc_requests DROP COLUMN compared_with');
    await runner.query('DROP TABLE onboarding.contested_identities');
  }
}
