import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users whom operators have blocked, and the sessions that operators end. */
export class BlockUsers1763899000000 implements MigrationInterface {
  name = 'BlockUsers1763899000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.users ADD COLUMN blocked_at timestamptz');
    await endReasons(
      runner,
      "'LOGOUT', 'REVOKED', 'TOKEN_REUSE', 'REPLACED', 'OPERATOR', 'BLOCKED', 'PARTNER_DISABLED'",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE onboarding.sessions SET end_reason = 'REVOKED'
      WHERE end_reason IN ('OPERATOR', 'BLOCKED', 'PARTNER_DISABLED')`);
    await endReasons(runner, "'LOGOUT', 'REVOKED', 'TOKEN_REUSE', 'REPLACED'");
    await runner.query('ALTER TABLE onboarding.users DROP COLUMN blocked_at');
  }
}

async function endReasons(runner: QueryRunner, reasons: string): Promise<void> {
  await runner.query('ALTER TABLE onboarding.sessions DROP CONSTRAINT ck_sessions__end_reason');
  await runner.query(
    `ALTER TABLE onboarding.sessions ADD CONSTRAINT ck_sessions__end_reason CHECK (end_reason IN (${reasons}))`,
  );
}
