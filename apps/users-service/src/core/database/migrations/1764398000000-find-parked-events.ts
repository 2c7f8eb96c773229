import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'ix_partner_events__parked';

/** Counts the events that were given up without reading all of them. */
export class FindParkedEvents1764398000000 implements MigrationInterface {
  /** An index of a large table is built while it is in use. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // an interrupted build leaves an invalid one
    await runner.query(`DROP INDEX IF EXISTS onboarding.${INDEX}`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY ${INDEX} ON onboarding.partner_events (partner_id) WHERE state = 'PARKED'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX onboarding.${INDEX}`);
  }
}
