import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users, partners, sessions with their refresh tokens, and consents. */
export class CreateLoginTables1763700000000 implements MigrationInterface {
  name = 'CreateLoginTables1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE onboarding.users (
        id uuid CONSTRAINT pk_users PRIMARY KEY,
        phone_index bytea NOT NULL CONSTRAINT uq_users__phone_index UNIQUE,
        phone_encrypted text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT ck_users__phone_index CHECK (octet_length(phone_index) = 32)
      )`);
    await runner.query(`
      CREATE TABLE onboarding.partners (
        id uuid CONSTRAINT pk_partners PRIMARY KEY,
        name text NOT NULL,
        url text NOT NULL CONSTRAINT uq_partners__url UNIQUE,
        public_key jsonb NOT NULL,
        redirect_origins text[] NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT now(),
        disabled_at timestamptz
      )`);
    await runner.query(`
      CREATE TABLE onboarding.sessions (
        id uuid CONSTRAINT pk_sessions PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_sessions__users REFERENCES onboarding.users (id),
        partner_id uuid NOT NULL CONSTRAINT fk_sessions__partners REFERENCES onboarding.partners (id),
        device text,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        ended_at timestamptz,
        end_reason text CONSTRAINT ck_sessions__end_reason CHECK (end_reason IN ('LOGOUT', 'REVOKED', 'TOKEN_REUSE')),
        CONSTRAINT ck_sessions__end CHECK ((ended_at IS NULL) = (end_reason IS NULL))
      )`);
    await runner.query(
      `CREATE INDEX ix_sessions__user_id ON onboarding.sessions (user_id) WHERE ended_at IS NULL`,
    );
    await runner.query(`
      CREATE TABLE onboarding.refresh_tokens (
        token_hash bytea CONSTRAINT pk_refresh_tokens PRIMARY KEY,
        session_id uuid NOT NULL
          CONSTRAINT fk_refresh_tokens__sessions REFERENCES onboarding.sessions (id) ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        rotated_at timestamptz,
        CONSTRAINT ck_refresh_tokens__token_hash CHECK (octet_length(token_hash) = 32)
      )`);
    await runner.query(
      `CREATE INDEX ix_refresh_tokens__session_id ON onboarding.refresh_tokens (session_id)`,
    );
    await runner.query(`
      CREATE TABLE onboarding.consents (
        id uuid CONSTRAINT pk_consents PRIMARY KEY,
        user_id uuid NOT NULL CONSTRAINT fk_consents__users REFERENCES onboarding.users (id),
        partner_id uuid NOT NULL CONSTRAINT fk_consents__partners REFERENCES onboarding.partners (id),
        purpose text NOT NULL,
        notice_version text NOT NULL,
        ip_hash bytea NOT NULL,
        given_at timestamptz NOT NULL DEFAULT now(),
        withdrawn_at timestamptz
      )`);
    await runner.query(`CREATE INDEX ix_consents__user_id ON onboarding.consents (user_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['consents', 'refresh_tokens', 'sessions', 'partners', 'users']) {
      await runner.query(`DROP TABLE onboarding.${table}`);
    }
  }
}
