import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A consent that is given again while it lives is one consent. Only rows that say so are held to it: the version
 * before this one, which may still run, writes one at each login, and what it wrote is proof that stays.
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
