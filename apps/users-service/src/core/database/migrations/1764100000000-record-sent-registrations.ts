import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When the registration with the current key may first have reached the issuer; null: never, or the issuer has proved that it
 * did nothing. Open registrations of the former release were sent if they have failed or are leased.
 */
export class RecordSentRegistrations1764100000000 implements MigrationInterface {
  name = 'RecordSentRegistrations1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.bank_syncs ADD COLUMN sent_at timestamptz');
    await runner.query(
      `UPDATE onboarding.bank_syncs s SET sent_at = now() FROM onboarding.bank_accounts a
        WHERE a.id = s.account_id AND a.state = 'VERIFIED'
          AND (s.state = 'ABANDONED' OR s.state = 'DUE' AND (s.tries > 0 OR s.lease_id IS NOT NULL))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.bank_syncs DROP COLUMN sent_at');
  }
}
