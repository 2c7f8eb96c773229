import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every column of personal data at the time of this migration; the writer of a later value registers its key. */
const ENCRYPTED = [
  ['bank_accounts', 'account'],
  ['bank_accounts', 'holder'],
  ['bank_accounts', 'name_at_bank'],
  ['ekyc_requests', 'aadhaar'],
  ['ekyc_requests', 'redirect_url'],
  ['ekyc_requests', 'url'],
  ['existing_customers', 'customer_id'],
  ['idempotent_calls', 'answer'],
  ['identities', 'dob'],
  ['identities', 'names'],
  ['identities', 'pan'],
  ['locker_sessions', 'url'],
  ['nominees', 'person'],
  ['personal_details', 'details'],
  ['users', 'email'],
  ['users', 'phone'],
] as const;

/** The keys that encrypt values, so that a service without one of them notices at its start, not when it reads a value. */
export class KeepKeysInUse1763887000000 implements MigrationInterface {
  name = 'KeepKeysInUse1763887000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.keys_in_use (
        purpose text NOT NULL CONSTRAINT ck_keys_in_use__purpose CHECK (purpose IN ('PII', 'INDEX')),
        key_id text NOT NULL,
        -- identifies the key without revealing it; null until a service with the key has started
        check_value bytea,
        seen_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_keys_in_use PRIMARY KEY (purpose, key_id)
      )`);
    for (const [table, column] of ENCRYPTED) {
      await runner.query(
        `INSERT INTO onboarding.keys_in_use (purpose, key_id)
         SELECT DISTINCT 'PII', split_part(${column}_encrypted, '.', 1) FROM onboarding.${table}
          WHERE ${column}_encrypted IS NOT NULL
         ON CONFLICT DO NOTHING`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.keys_in_use');
  }
}
