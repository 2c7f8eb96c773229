import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Exports that people asked for themselves, by day.
CREATE TABLE onboarding.data_exports (
  id uuid CONSTRAINT pk_data_exports PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_data_exports__users REFERENCES onboarding.users (id),
  created_at timestamptz NOT NULL
);
CREATE INDEX ix_data_exports__user_id ON onboarding.data_exports (user_id);
CREATE INDEX ix_data_exports__created_at ON onboarding.data_exports (created_at);
`;

const DOWN = `
DROP TABLE onboarding.data_exports;
`;

/** What is needed to limit the exports of a person. */
export class CountDataExports1764390000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
