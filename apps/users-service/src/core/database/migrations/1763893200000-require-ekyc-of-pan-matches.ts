import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * eKYC was skipped for whoever knew the PAN of an issuer's customer. It is due again, except where the issuer matched the
 * verified phone too. A customer whom the former release still lets skip it is asked again by the next check-etb.
 */
export class RequireEkycOfPanMatches1763893200000 implements MigrationInterface {
  name = 'RequireEkycOfPanMatches1763893200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      WITH due AS (
        UPDATE onboarding.journey_steps s SET state = 'NOT_STARTED', reason = NULL, updated_at = now()
          FROM onboarding.existing_customers c
         WHERE c.user_id = s.user_id AND c.issuer_slug = s.issuer_slug AND s.step = 'EKYC' AND s.state = 'SKIPPED'
           AND NOT c.matched_on @> ARRAY['PAN', 'PHONE']
        RETURNING s.user_id, s.issuer_slug)
      INSERT INTO onboarding.journey_events (id, user_id, issuer_slug, step, event, from_state, to_state)
      SELECT onboarding.uuid_v7(), user_id, issuer_slug, 'EKYC', 'RESET', 'SKIPPED', 'NOT_STARTED' FROM due`);
  }

  /** Nothing: which customers skipped eKYC without proof is not to be restored. */
  async down(): Promise<void> {}
}
