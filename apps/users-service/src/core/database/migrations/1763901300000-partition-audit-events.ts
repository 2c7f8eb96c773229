import type { MigrationInterface, QueryRunner } from 'typeorm';
import { partition, unite } from './partitioning.js';

/**
 * Partitions the chain by the time of sealing, which grows with the numbers of events: a partition is a contiguous range of
 * the chain. The sealer's lock keeps numbers and ids unique across partitions, and the check of the chain verifies it.
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
