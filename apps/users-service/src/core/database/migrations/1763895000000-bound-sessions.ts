import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * For the limits of sessions: a count of refreshes, a reason for ending the oldest sessions, and an index for the clean-up,
 * which used to read the whole table. Open sessions keep their expiry until their next refresh.
 */
export class BoundSessions1763895000000 implements MigrationInterface {
  name = 'BoundSessions1763895000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.sessions ADD COLUMN refreshes_booked_until timestamptz');
    await endReasons(runner, "'LOGOUT', 'REVOKED', 'TOKEN_REUSE', 'REPLACED'");
    await runner.query(
      'CREATE INDEX ix_sessions__over_at ON onboarding.sessions (coalesce(ended_at, expires_at))',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX onboarding.ix_sessions__over_at');
    await runner.query("UPDATE onboarding.sessions SET end_reason = 'REVOKED' WHERE end_reason = 'REPLACED'");
    await endReasons(runner, "'LOGOUT', 'REVOKED', 'TOKEN_REUSE'");
    await runner.query('ALTER TABLE onboarding.sessions DROP COLUMN refreshes_booked_until');
  }
}

async function endReasons(runner: QueryRunner, reasons: string): Promise<void> {
  await runner.query('ALTER TABLE onboarding.sessions DROP CONSTRAINT ck_sessions__end_reason');
  await runner.query(
    `ALTER TABLE onboarding.sessions ADD CONSTRAINT ck_sessions__end_reason CHECK (end_reason IN (${reasons}))`,
  );
}
