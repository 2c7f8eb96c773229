import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A consent that is repeated while in force is one consent. Only marked rows follow this rule: the previous version,
 * which may still run, writes a row at each login, and those rows stay as proof.
 */
export class UniteLivingConsents1763810000001 implements MigrationInterface {
  name = 'UniteLivingConsents1763810000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.consents ADD COLUMN is_united boolean NOT NULL DEFAULT false');
    await runner.query(`
      CREATE UNIQUE INDEX uq_consents__living
        ON onboarding.consents (user_id, partner_id, purpose, notice_version)
        WHERE withdrawn_at IS NULL AND is_united`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX onboarding.uq_consents__living');
    await runner.query('ALTER TABLE onboarding.consents DROP COLUMN is_united');
  }
}
