import type { MigrationInterface, QueryRunner } from 'typeorm';
import { boundFormerRows } from './partitioning.js';

/** Adds a time bound to existing events, so that their tables can become partitions: see decision 28. */
export class BoundFormerEvents1763901000000 implements MigrationInterface {
  name = 'BoundFormerEvents1763901000000';

  async up(runner: QueryRunner): Promise<void> {
    await boundFormerRows(runner, 'journey_events', 'id');
    await boundFormerRows(runner, 'insight_events', 'received_at');
    await boundFormerRows(runner, 'audit_events', 'sealed_at');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['journey_events', 'insight_events', 'audit_events'])
      await runner.query(`ALTER TABLE onboarding.${table} DROP CONSTRAINT IF EXISTS ck_${table}__former`);
  }
}
