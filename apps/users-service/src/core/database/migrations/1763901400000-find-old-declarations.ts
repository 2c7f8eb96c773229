import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes for the clean-up of declarations: only over revoked ones, which are few. */
export class FindOldDeclarations1763901400000 implements MigrationInterface {
  name = 'FindOldDeclarations1763901400000';
  /** Built while the tables are written: that is not possible in a transaction. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // an interrupted build leaves an invalid index, which is dropped and rebuilt
    for (const name of ['ix_consents__withdrawn_at', 'ix_nominee_waivers__ended_at'])
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS onboarding.${name}`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY ix_consents__withdrawn_at ON onboarding.consents (withdrawn_at)
         WHERE withdrawn_at IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX CONCURRENTLY ix_nominee_waivers__ended_at ON onboarding.nominee_waivers (ended_at)
         WHERE ended_at IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX onboarding.ix_nominee_waivers__ended_at');
    await runner.query('DROP INDEX onboarding.ix_consents__withdrawn_at');
  }
}
