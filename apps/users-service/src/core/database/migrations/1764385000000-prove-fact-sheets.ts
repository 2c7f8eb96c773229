import type { MigrationInterface, QueryRunner } from 'typeorm';

const BEGIN = `
CREATE OR REPLACE FUNCTION onboarding.protect_consent() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.withdrawn_at IS NULL OR OLD.withdrawn_at >= now() - interval '7 years' THEN
      RAISE EXCEPTION 'consents are kept for 7 years after their withdrawal';
    END IF;
    RETURN OLD;
  END IF;`;

const END = `
    OR (NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at
        AND (OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS DISTINCT FROM now())) THEN
    RAISE EXCEPTION 'consents are withdrawn, and not changed otherwise';
  END IF;
  RETURN NEW;
END $$;
`;

const UP = `
-- Code of the issuer of the fact sheet that the person agreed to, if master-service has signed the sheet.
ALTER TABLE onboarding.consents ADD COLUMN document_issuer text
  CONSTRAINT ck_consents__document_issuer CHECK (octet_length(document_issuer) <= 40);
${BEGIN}
  -- a signature may follow the consent
  IF to_jsonb(NEW) - 'withdrawn_at' - 'document_issuer' IS DISTINCT FROM to_jsonb(OLD) - 'withdrawn_at' - 'document_issuer'
    OR (NEW.document_issuer IS DISTINCT FROM OLD.document_issuer AND OLD.document_issuer IS NOT NULL)${END}`;

const DOWN = `${BEGIN}
  IF to_jsonb(NEW) - 'withdrawn_at' IS DISTINCT FROM to_jsonb(OLD) - 'withdrawn_at'${END}
ALTER TABLE onboarding.consents DROP COLUMN document_issuer;
`;

/** Records that a fact sheet was signed for an issuer. */
export class ProveFactSheets1764385000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
