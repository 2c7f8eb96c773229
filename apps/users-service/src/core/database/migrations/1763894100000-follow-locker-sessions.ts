import type { MigrationInterface, QueryRunner } from 'typeorm';

/** As for requests for eKYC: the worker polls each locker session until its result. */
export class FollowLockerSessions1763894100000 implements MigrationInterface {
  name = 'FollowLockerSessions1763894100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE onboarding.locker_sessions
        ADD COLUMN state text NOT NULL DEFAULT 'SETTLED',
        ADD COLUMN tries integer NOT NULL DEFAULT 0,
        ADD COLUMN next_try_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN lease_id uuid,
        ADD COLUMN leased_until timestamptz,
        ADD COLUMN due_since timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN settled_at timestamptz,
        ADD CONSTRAINT ck_locker_sessions__state CHECK (state IN ('DUE', 'FOLLOWED', 'SETTLED', 'ABANDONED'))`);
    await runner.query(`ALTER TABLE onboarding.locker_sessions ALTER COLUMN state SET DEFAULT 'DUE'`);
    await runner.query(`
      UPDATE onboarding.locker_sessions SET state = 'DUE'
       WHERE refusal_code IS NULL AND created_at > now() - interval '1 day'`);
    await runner.query(`
      CREATE INDEX ix_locker_sessions__next_try_at ON onboarding.locker_sessions (next_try_at)
       WHERE state IN ('DUE', 'FOLLOWED') AND locker_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE onboarding.locker_sessions DROP COLUMN state, DROP COLUMN tries, DROP COLUMN next_try_at,
        DROP COLUMN lease_id, DROP COLUMN leased_until, DROP COLUMN due_since, DROP COLUMN settled_at`);
  }
}
