import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a step has changed on the day of its last change: each change is an event that is kept for years. */
export class CountStepChanges1763903300000 implements MigrationInterface {
  name = 'CountStepChanges1763903300000';

  async up(runner: QueryRunner): Promise<void> {
    // changes by the former release, during the roll-out, are not counted
    await runner.query(
      'ALTER TABLE onboarding.journey_steps ADD COLUMN changes integer NOT NULL DEFAULT 0, ADD COLUMN changed_on date',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.journey_steps DROP COLUMN changed_on, DROP COLUMN changes');
  }
}
