import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits how often the client of a key may call. The default is for existing keys, and for keys that the former release creates. */
export class LimitApiKeys1763902000000 implements MigrationInterface {
  name = 'LimitApiKeys1763902000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE catalogue.api_keys ADD COLUMN calls_per_minute integer NOT NULL DEFAULT 60000
        CONSTRAINT ck_api_keys__calls_per_minute CHECK (calls_per_minute > 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE catalogue.api_keys DROP COLUMN calls_per_minute');
  }
}
