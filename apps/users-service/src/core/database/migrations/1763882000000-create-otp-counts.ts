import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sends and wrong checks of codes within a day, for when Redis has lost its own counts. */
export class CreateOtpCounts1763882000000 implements MigrationInterface {
  name = 'CreateOtpCounts1763882000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.otp_counts (
        subject_index bytea CONSTRAINT pk_otp_counts PRIMARY KEY,
        sends timestamptz[] NOT NULL DEFAULT '{}',
        wrong_checks timestamptz[] NOT NULL DEFAULT '{}',
        last_at timestamptz NOT NULL,
        CONSTRAINT ck_otp_counts__subject_index CHECK (octet_length(subject_index) = 32)
      )`);
    await runner.query('CREATE INDEX ix_otp_counts__last_at ON onboarding.otp_counts (last_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.otp_counts');
  }
}
