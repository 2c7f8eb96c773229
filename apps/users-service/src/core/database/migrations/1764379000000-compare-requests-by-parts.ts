import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Path, query and body of the request, whatever order the client wrote them in: three keyed hashes of 32 bytes. Null in a row of a
-- release that stored only the fingerprint of the request as written. Both are stored, so that each release accepts a repeat of a
-- call of the other.
ALTER TABLE onboarding.idempotent_calls ADD COLUMN part_digests bytea;
`;

const DOWN = `
ALTER TABLE onboarding.idempotent_calls DROP COLUMN part_digests;
`;

/** Compares requests under one idempotency key by their parts. */
export class CompareRequestsByParts1764379000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
