import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An issuer's terms of early withdrawal, for its fact sheets. Null until the next import, and in rows of the former release. */
export class TellEarlyWithdrawal1763903250000 implements MigrationInterface {
  name = 'TellEarlyWithdrawal1763903250000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE catalogue.issuers ADD COLUMN premature_withdrawal jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE catalogue.issuers DROP COLUMN premature_withdrawal');
  }
}
