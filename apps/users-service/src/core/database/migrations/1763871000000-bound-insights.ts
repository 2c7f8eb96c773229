import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events of clients are counted by user and day, and may be deleted once they have been kept for long enough. */
export class BoundInsights1763871000000 implements MigrationInterface {
  name = 'BoundInsights1763871000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX ix_insight_events__received_at ON onboarding.insight_events (received_at)',
    );
    await refuseAlways(runner, 'UPDATE OR TRUNCATE');
    await runner.query(`
      CREATE FUNCTION onboarding.refuse_early_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF OLD.received_at >= now() - make_interval(days => TG_ARGV[0]::int) THEN
          RAISE EXCEPTION '% is append-only for % days', TG_TABLE_NAME, TG_ARGV[0];
        END IF;
        RETURN OLD;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tr_insight_events__kept BEFORE DELETE
        ON onboarding.insight_events FOR EACH ROW EXECUTE FUNCTION onboarding.refuse_early_deletion('400')`);
    await runner.query(`
      CREATE TABLE onboarding.insight_days (
        user_id uuid NOT NULL CONSTRAINT fk_insight_days__users REFERENCES onboarding.users (id),
        day date NOT NULL,
        events integer NOT NULL CONSTRAINT ck_insight_days__events CHECK (events >= 0),
        CONSTRAINT pk_insight_days PRIMARY KEY (user_id, day)
      )`);
    await runner.query('CREATE INDEX ix_insight_days__day ON onboarding.insight_days (day)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.insight_days');
    await runner.query('DROP TRIGGER tr_insight_events__kept ON onboarding.insight_events');
    await runner.query('DROP FUNCTION onboarding.refuse_early_deletion()');
    await refuseAlways(runner, 'UPDATE OR DELETE OR TRUNCATE');
    await runner.query('DROP INDEX onboarding.ix_insight_events__received_at');
  }
}

async function refuseAlways(runner: QueryRunner, changes: string): Promise<void> {
  await runner.query('DROP TRIGGER tr_insight_events__append_only ON onboarding.insight_events');
  await runner.query(`
    CREATE TRIGGER tr_insight_events__append_only BEFORE ${changes}
      ON onboarding.insight_events FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change()`);
}
