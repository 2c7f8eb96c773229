import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The former release skipped eKYC for anyone who knew the PAN of an issuer's customer. It is due again, unless the issuer also
 * matched the verified phone. The next check-etb corrects users whom the former release still lets skip it.
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

  /** Does nothing: customers who skipped eKYC without proof must not skip it again. */
  async down(): Promise<void> {}
}
