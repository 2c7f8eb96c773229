import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the bytes of event properties too. The former release counts none, so a day of the roll-out allows more. */
export class BoundInsightBytes1763900000000 implements MigrationInterface {
  name = 'BoundInsightBytes1763900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE onboarding.insight_days ADD COLUMN bytes integer NOT NULL DEFAULT 0
         CONSTRAINT ck_insight_days__bytes CHECK (bytes >= 0)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.insight_days DROP COLUMN bytes');
  }
}
