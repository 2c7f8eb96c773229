import { TwinSchemas } from '@fd/testing';
import { ONBOARDING_DATABASE } from '../../src/onboarding-database.js';

const NO_KEY = 'TypeORM needs a key, and no key spans the partitions';

/** Differences that stay, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  '- CREATE INDEX ix_sessions__over_at ON onboarding.sessions USING btree (COALESCE(ended_at, expires_at))':
    'TypeORM has no index on an expression',
  '+ audit_events pk_audit_events PRIMARY KEY (seq)': NO_KEY,
  '+ insight_events pk_insight_events PRIMARY KEY (user_id, event_id)': NO_KEY,
  '+ journey_events pk_journey_events PRIMARY KEY (id)': NO_KEY,
};

describe('the entities', () => {
  let schemas: TwinSchemas;
  beforeAll(async () => {
    schemas = await TwinSchemas.create(ONBOARDING_DATABASE);
  });
  afterAll(() => schemas.drop());

  it('describe all tables as the migrations make them', async () => {
    expect(await schemas.differences()).toEqual(Object.keys(EXCEPTIONS));
  });

  it.each([
    [
      'a changed check',
      `ALTER TABLE onboarding.nominees DROP CONSTRAINT ck_nominees__share,
         ADD CONSTRAINT ck_nominees__share CHECK (share <= 10000)`,
      [
        '- nominees ck_nominees__share CHECK (((share >= 100) AND (share <= 10000)))',
        '+ nominees ck_nominees__share CHECK ((share <= 10000))',
      ],
    ],
    [
      'a missing index',
      'DROP INDEX onboarding.ix_consents__user_id',
      ['- CREATE INDEX ix_consents__user_id ON onboarding.consents USING btree (user_id)'],
    ],
    [
      'another predicate of an index',
      `DROP INDEX onboarding.ix_bank_withdrawals__next_try_at;
       CREATE INDEX ix_bank_withdrawals__next_try_at ON onboarding.bank_withdrawals (next_try_at)`,
      [
        "- CREATE INDEX ix_bank_withdrawals__next_try_at ON onboarding.bank_withdrawals USING btree (next_try_at) WHERE (state = 'DUE'::text)",
        '+ CREATE INDEX ix_bank_withdrawals__next_try_at ON onboarding.bank_withdrawals USING btree (next_try_at)',
      ],
    ],
    [
      'another rule for deletion',
      `ALTER TABLE onboarding.refresh_tokens DROP CONSTRAINT fk_refresh_tokens__sessions,
         ADD CONSTRAINT fk_refresh_tokens__sessions FOREIGN KEY (session_id) REFERENCES onboarding.sessions`,
      [
        '- refresh_tokens fk_refresh_tokens__sessions FOREIGN KEY (session_id) REFERENCES onboarding.sessions(id) ON DELETE CASCADE',
        '+ refresh_tokens fk_refresh_tokens__sessions FOREIGN KEY (session_id) REFERENCES onboarding.sessions(id)',
      ],
    ],
    ['an extra column', 'ALTER TABLE onboarding.webhooks ADD COLUMN body text', ['+ webhooks 4 body text']],
    [
      'another place, default and nullability of a column',
      `ALTER TABLE onboarding.insight_days DROP COLUMN bytes, ADD COLUMN bytes integer DEFAULT 1,
         ALTER COLUMN events TYPE bigint`,
      [
        '- insight_days 3 events integer NOT NULL',
        '- insight_days 4 bytes integer NOT NULL DEFAULT 0',
        '- insight_days ck_insight_days__bytes CHECK ((bytes >= 0))',
        '+ insight_days 3 events bigint NOT NULL',
        '+ insight_days 4 bytes integer DEFAULT 1',
      ],
    ],
    ['an extra table', 'CREATE TABLE onboarding.extra (id uuid)', ['+ extra 1 id uuid']],
  ])('differ from the migrations by %s', async (_name, change, reported) => {
    const differences = await schemas.differences(change);
    expect(differences.filter((line) => !(line in EXCEPTIONS))).toEqual(reported);
  });
});
