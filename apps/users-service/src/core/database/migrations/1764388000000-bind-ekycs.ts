import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Whether the eKYC was completed by the user, and not by somebody whom the user has sent the link. Those before this column stay as they were.
ALTER TABLE onboarding.ekyc_requests ADD COLUMN is_bound boolean NOT NULL DEFAULT true;
ALTER TABLE onboarding.ekyc_requests ALTER COLUMN is_bound SET DEFAULT false;
-- The page that proved it: the request's own, or a locker session. Null for the code of an Aadhaar.
ALTER TABLE onboarding.ekyc_requests ADD COLUMN page_id uuid;
`;

const DOWN = `
ALTER TABLE onboarding.ekyc_requests DROP COLUMN page_id, DROP COLUMN is_bound;
`;

/** Distinguishes eKYCs that were completed by the user's own browser or phone. */
export class BindEkycs1764388000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
