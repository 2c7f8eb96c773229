import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Calls that were made with an idempotency key, with the answer to repeat. */
export class CreateIdempotentCalls1763860000000 implements MigrationInterface {
  name = 'CreateIdempotentCalls1763860000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.idempotent_calls (
        id uuid CONSTRAINT pk_idempotent_calls PRIMARY KEY,
        call_index bytea NOT NULL CONSTRAINT uq_idempotent_calls__call_index UNIQUE,
        fingerprint bytea NOT NULL,
        started_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        answer_encrypted text,
        CONSTRAINT ck_idempotent_calls__lengths CHECK (octet_length(call_index) = 32 AND octet_length(fingerprint) = 32)
      )`);
    await runner.query(
      'CREATE INDEX ix_idempotent_calls__expires_at ON onboarding.idempotent_calls (expires_at)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.idempotent_calls');
  }
}
