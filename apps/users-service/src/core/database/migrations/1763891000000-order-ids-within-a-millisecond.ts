import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Ids made within the same millisecond were in no order, so two parallel events of a step could change places in its
 * history. The 12 bits behind the version now hold the fraction of the millisecond (RFC 9562, section 6.2, method 3), as
 * in the function of PostgreSQL 18.
 */
export class OrderIdsWithinAMillisecond1763891000000 implements MigrationInterface {
  name = 'OrderIdsWithinAMillisecond1763891000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION onboarding.uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
        -- 48 bits of milliseconds, 4 of the version (7), 12 of the fraction in 1/4096 of a millisecond, then random bits
        SELECT encode(overlay(uuid_send(gen_random_uuid()) PLACING
                 substring(int8send(microseconds / 1000) FROM 3)
                 || substring(int4send((7 * 4096 + microseconds % 1000 * 4096 / 1000)::int) FROM 3)
                 FROM 1 FOR 8), 'hex')::uuid
          FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS microseconds) now
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION onboarding.uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
        SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
          substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
          52, 1), 53, 1), 'hex')::uuid
      $$`);
  }
}
