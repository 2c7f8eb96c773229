import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'ix_leads__expires_at';

/** Finds the open leads that issuers no longer keep without reading all of them. */
export class FindExpiredLeads1764399000000 implements MigrationInterface {
  /** An index of a large table is built while it is in use. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // an interrupted build leaves an invalid one
    await runner.query(`DROP INDEX IF EXISTS onboarding.${INDEX}`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY ${INDEX} ON onboarding.leads (expires_at) WHERE state = 'OPEN'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX onboarding.${INDEX}`);
  }
}
