import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Mails to users about changes of their accounts.
CREATE TABLE onboarding.mail_notices (
  id uuid CONSTRAINT pk_mail_notices PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_mail_notices__users REFERENCES onboarding.users (id),
  kind text NOT NULL
    CONSTRAINT ck_mail_notices__kind CHECK (kind IN ('EMAIL_CHANGED', 'NOMINEES_CHANGED', 'PAN_LOST', 'PAN_GAINED')),
  -- of the mail, which may no longer be that of the user
  address_encrypted text NOT NULL,
  state text NOT NULL DEFAULT 'DUE' CONSTRAINT ck_mail_notices__state CHECK (state IN ('DUE', 'SENT', 'ABANDONED')),
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamptz NOT NULL DEFAULT now(),
  lease_id uuid,
  leased_until timestamptz,
  due_since timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  CONSTRAINT ck_mail_notices__lease CHECK ((lease_id IS NULL) = (leased_until IS NULL)),
  CONSTRAINT ck_mail_notices__settled_at CHECK ((settled_at IS NULL) = (state = 'DUE'))
);
CREATE INDEX ix_mail_notices__user_id ON onboarding.mail_notices (user_id);
CREATE INDEX ix_mail_notices__next_try_at ON onboarding.mail_notices (next_try_at) WHERE state = 'DUE';
CREATE INDEX ix_mail_notices__settled_at ON onboarding.mail_notices (settled_at) WHERE settled_at IS NOT NULL;
`;

const DOWN = `
DROP TABLE onboarding.mail_notices;
`;

/** Mails about changes of accounts. */
export class CreateMailNotices1764386000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
