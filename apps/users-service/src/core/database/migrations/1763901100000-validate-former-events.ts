import type { MigrationInterface, QueryRunner } from 'typeorm';
import { validateFormerRows } from './partitioning.js';

/** Separate from the previous migration, which would hold its lock until the last row is read. */
export class ValidateFormerEvents1763901100000 implements MigrationInterface {
  name = 'ValidateFormerEvents1763901100000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['journey_events', 'insight_events', 'audit_events'])
      await validateFormerRows(runner, table);
  }

  async down(): Promise<void> {
    // nothing to revert: a validated check has the same definition
  }
}
