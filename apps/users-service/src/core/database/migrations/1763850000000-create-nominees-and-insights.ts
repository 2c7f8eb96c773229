import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Nominees, declarations of no nominee, and the events that clients report. */
export class CreateNomineesAndInsights1763850000000 implements MigrationInterface {
  name = 'CreateNomineesAndInsights1763850000000';

  async up(runner: QueryRunner): Promise<void> {
    // shares are hundredths of a percent
    await runner.query(`
      CREATE TABLE onboarding.nominees (
        id uuid CONSTRAINT pk_nominees PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_nominees__users REFERENCES onboarding.users (id),
        person_encrypted text NOT NULL,
        nomination_type text NOT NULL CONSTRAINT ck_nominees__nomination_type
          CHECK (nomination_type IN ('SIMULTANEOUS', 'SUCCESSIVE')),
        share integer NOT NULL CONSTRAINT ck_nominees__share CHECK (share BETWEEN 100 AND 10000),
        priority integer,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT uq_nominees__user_id__priority UNIQUE (user_id, priority),
        CONSTRAINT ck_nominees__priority
          CHECK ((nomination_type = 'SUCCESSIVE') = (priority IS NOT NULL) AND priority >= 1)
      )`);
    await runner.query('CREATE INDEX ix_nominees__user_id ON onboarding.nominees (user_id)');
    await runner.query(`
      CREATE TABLE onboarding.nominee_waivers (
        id uuid CONSTRAINT pk_nominee_waivers PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_nominee_waivers__users REFERENCES onboarding.users (id),
        issuer_slug text,
        declaration_version text NOT NULL,
        declared_at timestamptz NOT NULL DEFAULT now(),
        ended_at timestamptz
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX uq_nominee_waivers__user_id ON onboarding.nominee_waivers (user_id)
        WHERE ended_at IS NULL`);
    await runner.query(`
      CREATE TABLE onboarding.insight_events (
        user_id uuid NOT NULL CONSTRAINT fk_insight_events__users REFERENCES onboarding.users (id),
        event_id uuid NOT NULL,
        event_name text NOT NULL,
        step text,
        issuer_slug text,
        occurred_at timestamptz NOT NULL,
        received_at timestamptz NOT NULL DEFAULT now(),
        properties jsonb NOT NULL,
        CONSTRAINT pk_insight_events PRIMARY KEY (user_id, event_id)
      )`);
    await runner.query(`
      CREATE TRIGGER tr_insight_events__append_only BEFORE UPDATE OR DELETE OR TRUNCATE
        ON onboarding.insight_events FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.insight_events');
    await runner.query('DROP TABLE onboarding.nominee_waivers');
    await runner.query('DROP TABLE onboarding.nominees');
  }
}
