import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The columns of a durable call for requests for eKYC: the worker polls the provider for each. `status`
 * is the answer to the client; `state` says whether the provider's result is pending. The former release writes neither,
 * so the defaults make the new worker poll its requests too.
 */
export class FollowEkycRequests1763894000000 implements MigrationInterface {
  name = 'FollowEkycRequests1763894000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE onboarding.ekyc_requests
        ADD COLUMN state text NOT NULL DEFAULT 'SETTLED',
        ADD COLUMN tries integer NOT NULL DEFAULT 0,
        ADD COLUMN next_try_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN lease_id uuid,
        ADD COLUMN leased_until timestamptz,
        ADD COLUMN due_since timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN settled_at timestamptz,
        ADD CONSTRAINT ck_ekyc_requests__state CHECK (state IN ('DUE', 'FOLLOWED', 'SETTLED', 'ABANDONED'))`);
    await runner.query(`ALTER TABLE onboarding.ekyc_requests ALTER COLUMN state SET DEFAULT 'DUE'`);
    // the worker does not poll a link that expired more than a day ago
    await runner.query(`
      UPDATE onboarding.ekyc_requests SET status = 'EXPIRED', updated_at = now()
       WHERE status IN ('LINK_CREATED', 'IN_PROGRESS') AND expires_at < now() - interval '1 day'`);
    await runner.query(`
      UPDATE onboarding.ekyc_requests SET state = 'DUE' WHERE status IN ('REQUESTED', 'LINK_CREATED', 'IN_PROGRESS')`);
    await runner.query(`
      CREATE INDEX ix_ekyc_requests__next_try_at ON onboarding.ekyc_requests (next_try_at)
       WHERE state IN ('DUE', 'FOLLOWED') AND status <> 'REQUESTED'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE onboarding.ekyc_requests DROP COLUMN state, DROP COLUMN tries, DROP COLUMN next_try_at,
        DROP COLUMN lease_id, DROP COLUMN leased_until, DROP COLUMN due_since, DROP COLUMN settled_at`);
  }
}
