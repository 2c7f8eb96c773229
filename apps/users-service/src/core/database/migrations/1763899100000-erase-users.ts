import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables kept as proof after the user's row is deleted. */
const OUTLIVING = ['consents', 'journey_events'];

/**
 * Users who were erased: their rows and all referencing rows are deleted; consents and the history of steps stay.
 * Events that clients reported may be deleted earlier than others then.
 */
export class EraseUsers1763899100000 implements MigrationInterface {
  name = 'EraseUsers1763899100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.erased_users (
        user_id uuid CONSTRAINT pk_erased_users PRIMARY KEY,
        erased_at timestamptz NOT NULL DEFAULT now(),
        kyc_until date,
        kyc_record_encrypted text,
        CONSTRAINT ck_erased_users__kyc CHECK ((kyc_until IS NULL) = (kyc_record_encrypted IS NULL))
      )`);
    await runner.query(
      'CREATE INDEX ix_erased_users__kyc_until ON onboarding.erased_users (kyc_until) WHERE kyc_until IS NOT NULL',
    );
    for (const table of OUTLIVING)
      await runner.query(`ALTER TABLE onboarding.${table} DROP CONSTRAINT IF EXISTS fk_${table}__users`);
    await refuseEarlyDeletion(
      runner,
      'AND NOT EXISTS (SELECT FROM onboarding.erased_users WHERE user_id = OLD.user_id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await refuseEarlyDeletion(runner, '');
    for (const table of OUTLIVING) {
      // not valid, because the tables may have rows of erased users
      await runner.query(`ALTER TABLE onboarding.${table} ADD CONSTRAINT fk_${table}__users
        FOREIGN KEY (user_id) REFERENCES onboarding.users (id) NOT VALID`);
    }
    await runner.query('DROP TABLE onboarding.erased_users');
  }
}

/** The trigger of the events that clients report. */
async function refuseEarlyDeletion(runner: QueryRunner, exception: string): Promise<void> {
  await runner.query(`
    CREATE OR REPLACE FUNCTION onboarding.refuse_early_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF OLD.received_at >= now() - make_interval(days => TG_ARGV[0]::int) ${exception} THEN
        RAISE EXCEPTION '% is append-only for % days', TG_TABLE_NAME, TG_ARGV[0];
      END IF;
      RETURN OLD;
    END $$`);
}
