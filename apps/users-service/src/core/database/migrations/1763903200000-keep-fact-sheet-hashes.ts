import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The hash of the fact sheet that a person agreed to. Null in all other consents, and in those of the former release. */
export class KeepFactSheetHashes1763903200000 implements MigrationInterface {
  name = 'KeepFactSheetHashes1763903200000';
  /** The index is built while the table is written: that is not possible in a transaction. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.consents ADD COLUMN IF NOT EXISTS document_hash bytea');
    // an interrupted CREATE INDEX CONCURRENTLY leaves an invalid index
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS onboarding.uq_consents__document_hash');
    await runner.query(
      `CREATE UNIQUE INDEX CONCURRENTLY uq_consents__document_hash
         ON onboarding.consents (user_id, partner_id, purpose, document_hash)
         WHERE withdrawn_at IS NULL AND document_hash IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX onboarding.uq_consents__document_hash');
    await runner.query('ALTER TABLE onboarding.consents DROP COLUMN document_hash');
  }
}
