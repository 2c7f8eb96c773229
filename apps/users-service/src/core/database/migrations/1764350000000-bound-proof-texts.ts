import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Bounds of texts in tables whose rows the service cannot delete, each about five times what it writes. */
const BOUNDS: Readonly<Record<string, readonly [column: string, check: string]>> = {
  audit_unsealed: ['proof', 'octet_length(proof) <= 500'],
  audit_events: ['hash', 'octet_length(hash) <= 500'],
  journey_events: [
    'reason',
    "octet_length(issuer_slug || step || event || from_state || to_state || coalesce(reason, '')) <= 1000",
  ],
  consents: ['purpose', 'octet_length(purpose || notice_version) + octet_length(ip_hash) <= 500'],
  nominee_waivers: [
    'declaration_version',
    "octet_length(coalesce(issuer_slug, '') || declaration_version) <= 500",
  ],
};

/**
 * An attacker on the service cannot add a row of any size that stays for years. A pending event with a proof of hundreds of
 * megabytes, or a hash of that size given to the function that seals, would end each replica that seals, and stop the trail.
 * NOT VALID: no scan, and rows from before stay as evidence.
 */
export class BoundProofTexts1764350000000 implements MigrationInterface {
  name = 'BoundProofTexts1764350000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, [column, check]] of Object.entries(BOUNDS))
      await runner.query(
        `ALTER TABLE onboarding.${table} ADD CONSTRAINT ck_${table}__${column} CHECK (${check}) NOT VALID`,
      );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, [column]] of Object.entries(BOUNDS))
      await runner.query(`ALTER TABLE onboarding.${table} DROP CONSTRAINT ck_${table}__${column}`);
  }
}
