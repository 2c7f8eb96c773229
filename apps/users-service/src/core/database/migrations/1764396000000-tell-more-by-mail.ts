import type { MigrationInterface, QueryRunner } from 'typeorm';

const FORMER = "'EMAIL_CHANGED', 'NOMINEES_CHANGED', 'PAN_LOST', 'PAN_GAINED'";
const MORE = "'EMAIL_MOVED', 'PHONE_REUSED', 'PAN_CLAIMED', 'PAN_NOT_GAINED'";

/** The rows are those of a month at most, so the check of the present ones is short. */
const allow = (kinds: string): string => `
ALTER TABLE onboarding.mail_notices DROP CONSTRAINT ck_mail_notices__kind,
  ADD CONSTRAINT ck_mail_notices__kind CHECK (kind IN (${kinds}));
`;

/** Mails about an address that moved to another account of its person, a phone with a new owner, and a PAN that another person claims. */
export class TellMoreByMail1764396000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(allow([FORMER, MORE].join(', ')));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM onboarding.mail_notices WHERE kind IN (${MORE})`);
    await runner.query(allow(FORMER));
  }
}
