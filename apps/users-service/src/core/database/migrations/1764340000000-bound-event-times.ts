import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An attacker on the service cannot add events of another time: one that is far ahead would never be sealed, or be in a partition
 * that is never dropped. A replica with a wrong clock still records: its audit events wait for their time, a month at most.
 */
export class BoundEventTimes1764340000000 implements MigrationInterface {
  name = 'BoundEventTimes1764340000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TRIGGER tr_audit_unsealed__about_now BEFORE INSERT ON onboarding.audit_unsealed FOR EACH ROW
        WHEN (NEW.occurred_at NOT BETWEEN now() - interval '1 day' AND now() + interval '1 month')
        EXECUTE FUNCTION onboarding.refuse_backdating()`);
    await runner.query(`
      CREATE TRIGGER tr_insight_events__about_now BEFORE INSERT ON onboarding.insight_events FOR EACH ROW
        WHEN (NEW.received_at IS DISTINCT FROM now()) EXECUTE FUNCTION onboarding.refuse_backdating()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['insight_events', 'audit_unsealed'])
      await runner.query(`DROP TRIGGER tr_${table}__about_now ON onboarding.${table}`);
  }
}
