import type { MigrationInterface, QueryRunner } from 'typeorm';
import { partition, unite } from './partitioning.js';

/**
 * The chain by the time at which events were sealed, which grows with their numbers: a partition is one stretch of it. That a
 * number or an id is there once in all of it follows from the lock of the sealer, and the check of the chain shows it.
 */
export class PartitionAuditEvents1763901300000 implements MigrationInterface {
  name = 'PartitionAuditEvents1763901300000';

  async up(runner: QueryRunner): Promise<void> {
    await partition(runner, 'audit_events', 'sealed_at');
  }

  async down(runner: QueryRunner): Promise<void> {
    await unite(runner, 'audit_events');
  }
}
