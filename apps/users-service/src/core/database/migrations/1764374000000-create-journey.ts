import type { MigrationInterface, QueryRunner } from 'typeorm';

const STEPS = `
CREATE TABLE onboarding.journey_steps (
  user_id uuid NOT NULL CONSTRAINT fk_journey_steps__users REFERENCES onboarding.users (id),
  issuer_slug text NOT NULL,
  step text NOT NULL,
  state text NOT NULL CONSTRAINT ck_journey_steps__state
    CHECK (state IN ('NOT_STARTED', 'IN_PROGRESS', 'DONE', 'SKIPPED', 'FAILED')),
  reason text,
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- how often the step has changed on the day of its last change: each change is an event that is kept for years
  changes integer NOT NULL DEFAULT 0,
  changed_on date,
  CONSTRAINT pk_journey_steps PRIMARY KEY (user_id, issuer_slug, step)
);

-- The history of the steps, partitioned by the time in its ids. No foreign key: it stays as proof after the user's row is deleted.
CREATE TABLE onboarding.journey_events (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  issuer_slug text NOT NULL,
  step text NOT NULL,
  event text NOT NULL,
  from_state text NOT NULL,
  to_state text NOT NULL,
  reason text,
  occurred_at timestamptz NOT NULL DEFAULT now(),
  -- the service's role cannot delete a row, so it cannot add one of any size either
  CONSTRAINT ck_journey_events__reason CHECK (
    octet_length(issuer_slug || step || event || from_state || to_state || coalesce(reason, '')) <= 1000)
) PARTITION BY RANGE (id);
-- takes the rows that fit into no other partition; each new partition gets its keys and indexes
CREATE TABLE onboarding.journey_events_default PARTITION OF onboarding.journey_events DEFAULT;
ALTER TABLE onboarding.journey_events_default ADD CONSTRAINT pk_journey_events_default PRIMARY KEY (id);
CREATE INDEX ix_journey_events_default__user_id ON onboarding.journey_events_default (user_id);

CREATE TRIGGER tr_journey_events__append_only BEFORE UPDATE OR DELETE OR TRUNCATE
  ON onboarding.journey_events FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change();
CREATE TRIGGER tr_journey_events__append_only BEFORE UPDATE OR DELETE OR TRUNCATE
  ON onboarding.journey_events_default FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change();
-- the history is read in the order of ids, which begin with the service's milliseconds: its clock may be wrong by ten minutes
CREATE TRIGGER tr_journey_events__about_now BEFORE INSERT ON onboarding.journey_events FOR EACH ROW
  WHEN (NEW.occurred_at IS DISTINCT FROM now() OR abs(extract(epoch FROM clock_timestamp()) * 1000
    - ('x' || translate(left(NEW.id::text, 13), '-', ''))::bit(48)::bigint) > 600000)
  EXECUTE FUNCTION onboarding.refuse_backdating();
`;

const INSIGHTS = `
CREATE TABLE onboarding.insight_events (
  user_id uuid NOT NULL CONSTRAINT fk_insight_events__users REFERENCES onboarding.users (id),
  event_id uuid NOT NULL,
  event_name text NOT NULL,
  step text,
  issuer_slug text,
  occurred_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  properties jsonb NOT NULL
) PARTITION BY RANGE (received_at);
CREATE TABLE onboarding.insight_events_default PARTITION OF onboarding.insight_events DEFAULT;
ALTER TABLE onboarding.insight_events_default ADD CONSTRAINT pk_insight_events_default PRIMARY KEY (user_id, event_id);

CREATE TRIGGER tr_insight_events__append_only BEFORE UPDATE OR TRUNCATE
  ON onboarding.insight_events FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change();
CREATE TRIGGER tr_insight_events__append_only BEFORE UPDATE OR TRUNCATE
  ON onboarding.insight_events_default FOR EACH STATEMENT EXECUTE FUNCTION onboarding.refuse_change();
-- an event that is far ahead would be in a partition that is never dropped
CREATE TRIGGER tr_insight_events__about_now BEFORE INSERT ON onboarding.insight_events FOR EACH ROW
  WHEN (NEW.received_at IS DISTINCT FROM now()) EXECUTE FUNCTION onboarding.refuse_backdating();

-- The erasure of a user deletes the user's events earlier than others.
CREATE FUNCTION onboarding.refuse_early_deletion() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF OLD.received_at >= now() - make_interval(days => TG_ARGV[0]::int)
    AND NOT EXISTS (SELECT FROM onboarding.erased_users WHERE user_id = OLD.user_id) THEN
    RAISE EXCEPTION '% is append-only for % days', TG_TABLE_NAME, TG_ARGV[0];
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER tr_insight_events__kept BEFORE DELETE
  ON onboarding.insight_events FOR EACH ROW EXECUTE FUNCTION onboarding.refuse_early_deletion('400');

CREATE FUNCTION onboarding.skip_known_insight_event() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- no key spans partitions: reports of a user follow one another, and look for the event in all of them
  PERFORM pg_advisory_xact_lock(7405, hashtext(NEW.user_id::text));
  IF EXISTS (SELECT FROM onboarding.insight_events WHERE user_id = NEW.user_id AND event_id = NEW.event_id) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER tr_insight_events__once BEFORE INSERT
  ON onboarding.insight_events FOR EACH ROW EXECUTE FUNCTION onboarding.skip_known_insight_event();

-- Events of clients, counted by user and day.
CREATE TABLE onboarding.insight_days (
  user_id uuid NOT NULL CONSTRAINT fk_insight_days__users REFERENCES onboarding.users (id),
  day date NOT NULL,
  events integer NOT NULL CONSTRAINT ck_insight_days__events CHECK (events >= 0),
  bytes integer NOT NULL DEFAULT 0 CONSTRAINT ck_insight_days__bytes CHECK (bytes >= 0),
  CONSTRAINT pk_insight_days PRIMARY KEY (user_id, day)
);
CREATE INDEX ix_insight_days__day ON onboarding.insight_days (day);
`;

const DOWN = `
DROP TABLE onboarding.insight_days, onboarding.insight_events, onboarding.journey_events, onboarding.journey_steps;
DROP FUNCTION onboarding.skip_known_insight_event(), onboarding.refuse_early_deletion();
`;

/** The steps of each user with their history, and the events that clients report. */
export class CreateJourney1764374000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statements of [STEPS, INSIGHTS]) await runner.query(statements);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
