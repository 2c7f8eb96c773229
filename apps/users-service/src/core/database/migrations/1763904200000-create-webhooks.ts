import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accepted webhooks, so that a repeated one has no effect. */
export class CreateWebhooks1763904200000 implements MigrationInterface {
  name = 'CreateWebhooks1763904200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.webhooks (
        vendor text NOT NULL,
        digest bytea NOT NULL,
        received_at timestamptz NOT NULL,
        CONSTRAINT pk_webhooks PRIMARY KEY (vendor, digest),
        CONSTRAINT ck_webhooks__digest CHECK (octet_length(digest) = 32)
      )`);
    await runner.query('CREATE INDEX ix_webhooks__received_at ON onboarding.webhooks (received_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.webhooks');
  }
}
