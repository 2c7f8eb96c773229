import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A partner has two keys while one is replaced: tokens are encrypted to `public_key`, the other can be gone back to. */
export class KeepFormerPartnerKeys1763887100000 implements MigrationInterface {
  name = 'KeepFormerPartnerKeys1763887100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.partners ADD COLUMN former_public_key jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE onboarding.partners DROP COLUMN former_public_key');
  }
}
