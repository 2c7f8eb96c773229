import type { MigrationInterface, QueryRunner } from 'typeorm';
import { partition, unite } from './partitioning.js';

/** Partitions journey events by the time in their ids, and events of clients by the time of receipt. */
export class PartitionEvents1763901200000 implements MigrationInterface {
  name = 'PartitionEvents1763901200000';

  async up(runner: QueryRunner): Promise<void> {
    await partition(runner, 'journey_events', 'id');
    await partition(runner, 'insight_events', 'received_at');
    // used only for deleting single rows
    await runner.query('DROP INDEX onboarding.ix_insight_events_default__received_at');
    await runner.query(`
      CREATE FUNCTION onboarding.skip_known_insight_event() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        -- no key spans partitions: reports of a user follow one another, and look for the event in all of them
        PERFORM pg_advisory_xact_lock(7405, hashtext(NEW.user_id::text));
        IF EXISTS (SELECT FROM onboarding.insight_events WHERE user_id = NEW.user_id AND event_id = NEW.event_id) THEN
          RETURN NULL;
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tr_insight_events__once BEFORE INSERT
        ON onboarding.insight_events FOR EACH ROW EXECUTE FUNCTION onboarding.skip_known_insight_event()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER tr_insight_events__once ON onboarding.insight_events');
    await runner.query('DROP FUNCTION onboarding.skip_known_insight_event()');
    await unite(runner, 'insight_events');
    await runner.query(
      'CREATE INDEX ix_insight_events__received_at ON onboarding.insight_events (received_at)',
    );
    await unite(runner, 'journey_events');
  }
}
