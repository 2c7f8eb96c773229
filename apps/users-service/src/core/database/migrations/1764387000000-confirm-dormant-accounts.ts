import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Of the phone's owner; an unconfirmed login does not count. Kept to the day, so that not each login writes it.
ALTER TABLE onboarding.users ADD COLUMN last_login_at timestamptz NOT NULL DEFAULT now();
-- The next owner of the phone has started anew: the phone is no longer this user's.
ALTER TABLE onboarding.users ADD COLUMN phone_released_at timestamptz;
-- The phone was another user's before, whose documents may still name it.
ALTER TABLE onboarding.users ADD COLUMN is_phone_reused boolean NOT NULL DEFAULT false;
-- After a long pause somebody else may have the phone.
ALTER TABLE onboarding.sessions ADD COLUMN is_unconfirmed boolean NOT NULL DEFAULT false;

-- Failed tries to confirm an account, by day.
CREATE TABLE onboarding.confirmation_tries (
  id uuid CONSTRAINT pk_confirmation_tries PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT fk_confirmation_tries__users REFERENCES onboarding.users (id),
  created_at timestamptz NOT NULL
);
CREATE INDEX ix_confirmation_tries__user_id ON onboarding.confirmation_tries (user_id);
CREATE INDEX ix_confirmation_tries__created_at ON onboarding.confirmation_tries (created_at);
`;

const DOWN = `
DROP TABLE onboarding.confirmation_tries;
ALTER TABLE onboarding.sessions DROP COLUMN is_unconfirmed;
ALTER TABLE onboarding.users DROP COLUMN is_phone_reused, DROP COLUMN phone_released_at, DROP COLUMN last_login_at;
`;

/** What is needed to confirm an account whose phone may have another owner. */
export class ConfirmDormantAccounts1764387000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
