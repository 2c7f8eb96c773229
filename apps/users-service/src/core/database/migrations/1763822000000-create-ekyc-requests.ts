import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Requests for eKYC, at most one open request for a user and an issuer, the locker sessions that serve them, and the
 * Aadhaar codes that each user has caused. Links are encrypted: anyone can use a link.
 */
export class CreateEkycRequests1763822000000 implements MigrationInterface {
  name = 'CreateEkycRequests1763822000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.ekyc_requests (
        id uuid CONSTRAINT pk_ekyc_requests PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_ekyc_requests__users REFERENCES onboarding.users (id),
        issuer_slug text NOT NULL,
        method text NOT NULL,
        status text NOT NULL CONSTRAINT ck_ekyc_requests__status
          CHECK (status IN ('REQUESTED', 'LINK_CREATED', 'IN_PROGRESS', 'VERIFIED', 'FAILED', 'EXPIRED')),
        redirect_url_encrypted text,
        url_encrypted text,
        expires_at timestamptz,
        is_compared boolean NOT NULL,
        is_retry boolean NOT NULL DEFAULT false,
        aadhaar_transaction text,
        aadhaar_checks smallint NOT NULL DEFAULT 0,
        aadhaar_encrypted text,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX uq_ekyc_requests__live ON onboarding.ekyc_requests (user_id, issuer_slug)
       WHERE status IN ('REQUESTED', 'LINK_CREATED', 'IN_PROGRESS')`);
    await runner.query(
      'CREATE INDEX ix_ekyc_requests__user ON onboarding.ekyc_requests (user_id, issuer_slug, created_at)',
    );
    await runner.query(`
      CREATE TABLE onboarding.locker_sessions (
        id uuid CONSTRAINT pk_locker_sessions PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_locker_sessions__users REFERENCES onboarding.users (id),
        ekyc_request_id uuid NOT NULL
          CONSTRAINT fk_locker_sessions__ekyc_requests REFERENCES onboarding.ekyc_requests (id),
        redirect_index bytea,
        locker_id text,
        url_encrypted text,
        expires_at timestamptz,
        refusal_code text,
        created_at timestamptz NOT NULL,
        CONSTRAINT ck_locker_sessions__redirect_index CHECK (octet_length(redirect_index) = 32)
      )`);
    await runner.query(
      'CREATE INDEX ix_locker_sessions__ekyc_request_id ON onboarding.locker_sessions (ekyc_request_id)',
    );
    await runner.query(
      'CREATE INDEX ix_locker_sessions__user_id ON onboarding.locker_sessions (user_id, created_at)',
    );
    await runner.query(`
      CREATE TABLE onboarding.aadhaar_sends (
        id uuid CONSTRAINT pk_aadhaar_sends PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_aadhaar_sends__users REFERENCES onboarding.users (id),
        started_at timestamptz NOT NULL
      )`);
    await runner.query(
      'CREATE INDEX ix_aadhaar_sends__user_id ON onboarding.aadhaar_sends (user_id, started_at)',
    );
    await runner.query('CREATE INDEX ix_aadhaar_sends__started_at ON onboarding.aadhaar_sends (started_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE onboarding.aadhaar_sends');
    await runner.query('DROP TABLE onboarding.locker_sessions');
    await runner.query('DROP TABLE onboarding.ekyc_requests');
  }
}
