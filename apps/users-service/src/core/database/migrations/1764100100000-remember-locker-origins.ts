import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keyed hash of the origin to which a locker session returns; null: to none, or written by the former release. */
export class RememberLockerOrigins1764100100000 implements MigrationInterface {
  name = 'RememberLockerOrigins1764100100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE onboarding.locker_sessions ADD COLUMN origin_index bytea
         CONSTRAINT ck_locker_sessions__origin_index CHECK (octet_length(origin_index) = 32)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.locker_sessions DROP COLUMN origin_index');
  }
}
