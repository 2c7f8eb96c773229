import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The steps of each user and their immutable history. */
export class CreateJourney1763800000000 implements MigrationInterface {
  name = 'CreateJourney1763800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.users ADD COLUMN last_issuer_slug text');
    await runner.query(`
      CREATE TABLE onboarding.journey_steps (
        user_id uuid NOT NULL CONSTRAINT fk_journey_steps__users REFERENCES onboarding.users (id),
        issuer_slug text NOT NULL,
        step text NOT NULL,
        state text NOT NULL CONSTRAINT ck_journey_steps__state
          CHECK (state IN ('NOT_STARTED', 'IN_PROGRESS', 'DONE', 'SKIPPED', 'FAILED')),
        reason text,
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_journey_steps PRIMARY KEY (user_id, issuer_slug, step)
      )`);
    await runner.query(`
      CREATE TABLE onboarding.journey_events (
        id uuid CONSTRAINT pk_journey_events PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_journey_events__users REFERENCES onboarding.users (id),
        issuer_slug text NOT NULL,
        step text NOT NULL,
        event text NOT NULL,
        from_state text NOT NULL,
        to_state text NOT NULL,
        reason text,
        occurred_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX ix_journey_events__user_id ON onboarding.journey_events (user_id)');
    await runner.query(`
      CREATE FUNCTION onboarding.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tr_journey_events__append_only BEFORE UPDATE OR DELETE OR TRUNCATE
        ON onboarding.journey_events FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.journey_events');
    await runner.query('DROP FUNCTION onboarding.refuse_change()');
    await runner.query('DROP TABLE onboarding.journey_steps');
    await runner.query('ALTER TABLE onboarding.users DROP COLUMN last_issuer_slug');
  }
}
