import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A consent that is given again while it lives is one consent: the first says all that the others do. */
export class UniteLivingConsents1763810000001 implements MigrationInterface {
  name = 'UniteLivingConsents1763810000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM onboarding.consents later USING onboarding.consents earlier
       WHERE later.user_id = earlier.user_id AND later.partner_id = earlier.partner_id
         AND later.purpose = earlier.purpose AND later.notice_version = earlier.notice_version
         AND later.withdrawn_at IS NULL AND earlier.withdrawn_at IS NULL
         AND (later.given_at, later.id) > (earlier.given_at, earlier.id)`);
    await runner.query(`
      CREATE UNIQUE INDEX uq_consents__living
        ON onboarding.consents (user_id, partner_id, purpose, notice_version) WHERE withdrawn_at IS NULL`);
  }

  /** The repeats that were united stay so: nothing was said by them. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX onboarding.uq_consents__living');
  }
}
