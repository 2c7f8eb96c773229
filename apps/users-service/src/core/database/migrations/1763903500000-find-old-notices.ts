import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For the clean-up; a few rows, since a notice is sent only when a PAN is taken over. */
export class FindOldNotices1763903500000 implements MigrationInterface {
  name = 'FindOldNotices1763903500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX ix_pan_notices__settled_at ON onboarding.pan_notices (settled_at) WHERE settled_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX onboarding.ix_pan_notices__settled_at');
  }
}
