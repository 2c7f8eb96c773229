import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Functions of triggers that looked names up in the schemas of the session. */
const FUNCTIONS = [
  'refuse_change()',
  'refuse_unsealed_deletion()',
  'refuse_early_audit_deletion()',
  'name_compared_verification()',
  'skip_known_insight_event()',
];

/** A session that puts a schema of its own first cannot change what a trigger does. */
export class FixSearchPaths1764360000000 implements MigrationInterface {
  name = 'FixSearchPaths1764360000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const name of FUNCTIONS)
      await runner.query(`ALTER FUNCTION onboarding.${name} SET search_path = pg_catalog, pg_temp`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of FUNCTIONS) await runner.query(`ALTER FUNCTION onboarding.${name} RESET search_path`);
  }
}
