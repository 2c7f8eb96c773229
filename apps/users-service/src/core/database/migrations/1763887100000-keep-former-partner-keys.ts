import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A partner has two keys during a replacement: tokens are encrypted to `public_key`; the other is kept for a roll-back. */
export class KeepFormerPartnerKeys1763887100000 implements MigrationInterface {
  name = 'KeepFormerPartnerKeys1763887100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.partners ADD COLUMN former_public_key jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.partners DROP COLUMN former_public_key');
  }
}
