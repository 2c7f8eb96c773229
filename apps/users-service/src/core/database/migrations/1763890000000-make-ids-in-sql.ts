import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Makes ids in the order of time (UUID version 7, RFC 9562), for rows whose id is made under the lock of another row.
 * PostgreSQL 18 has such a function.
 */
export class MakeIdsInSql1763890000000 implements MigrationInterface {
  name = 'MakeIdsInSql1763890000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION onboarding.uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
        -- the milliseconds take the first 48 bits of a random UUID; 4 becomes 7 as its version
        SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
          substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
          52, 1), 53, 1), 'hex')::uuid
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION onboarding.uuid_v7()');
  }
}
