import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PanErrors } from '@fd/errors';
import { CommandError, dataSourceOptions, migrate } from '@fd/platform';
import {
  breaksFormer,
  createTestDatabase,
  expectRefusal,
  recordEvidence,
  schemaShape,
  type TestDatabase,
  TwinSchemas,
} from '@fd/testing';
import { DataSource, type QueryRunner } from 'typeorm';
import { ONBOARDING_DATABASE } from '../../src/onboarding-database.js';
import { as, logIn } from '../support/login.js';
import { panBody, postPan } from '../support/pan.js';
import { withoutTriggers } from '../support/past-rows.js';
import { startService, type TestService } from '../support/users-app.js';

describe('migrations', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  const config = () => ({ url: database.url, poolSize: 1 });
  const withSource = async <T>(work: (source: DataSource) => Promise<T>): Promise<T> => {
    const source = await new DataSource(dataSourceOptions(config(), ONBOARDING_DATABASE)).initialize();
    try {
      return await work(source);
    } finally {
      await source.destroy();
    }
  };
  /** Returns all columns, constraints, indexes and triggers of the schema, one line each. */
  const shape = () =>
    withSource(async (source) => {
      const rows = await source.query<{ line: string }[]>(
        `SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS line
           FROM information_schema.columns WHERE table_schema = 'onboarding'
         UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
           FROM pg_constraint WHERE connamespace = 'onboarding'::regnamespace
         UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'onboarding'
         UNION ALL SELECT concat_ws(' ', tgrelid::regclass, tgname) FROM pg_trigger WHERE NOT tgisinternal
         ORDER BY 1`,
      );
      return rows.map(({ line }) => line);
    });

  it('reverts all migrations one by one and applies them again to the same schema', async () => {
    const applied = await migrate(config(), ONBOARDING_DATABASE);
    expect(applied).toHaveLength(ONBOARDING_DATABASE.migrations.length);
    const before = await shape();
    await withSource(async (source) => {
      for (const _ of applied) await source.undoLastMigration();
    });
    expect((await shape()).filter((line) => !/migrations/.test(line))).toEqual([]);
    expect(await migrate(config(), ONBOARDING_DATABASE)).toHaveLength(applied.length);
    expect(await shape()).toEqual(before);
  });

  it('names every constraint by the convention', async () => {
    await migrate(config(), ONBOARDING_DATABASE);
    const names = await withSource((source) =>
      source.query<{ name: string; table: string }[]>(
        `SELECT conname AS name, relname AS table FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
          WHERE connamespace = 'onboarding'::regnamespace AND contype IN ('p', 'u', 'f', 'c')
            -- partitions have those of their table
            AND relname <> 'migrations' AND NOT relispartition`,
      ),
    );
    expect(names.length).toBeGreaterThan(20);
    for (const { name, table } of names)
      expect(name).toMatch(new RegExp(`^(pk|uq|fk|ck)_${table}(__\\w+)?$`));
  });

  it('applies nothing to a schema that another history has migrated', async () => {
    class CreateFormerTables1763700000000 {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('CREATE TABLE onboarding.former (id int)');
      }
    }
    await migrate(config(), { ...ONBOARDING_DATABASE, migrations: [CreateFormerTables1763700000000] });
    const before = await shape();
    const migrated = migrate(config(), ONBOARDING_DATABASE);
    await expect(migrated).rejects.toThrow(CommandError);
    await expect(migrated).rejects.toThrow(
      /^The schema onboarding has migrations that this release does not know \(CreateFormerTables1763700000000\), so nothing was applied/,
    );
    expect(await shape()).toEqual(before);
  });

  it('accepts the schema of a later release after a roll-back', async () => {
    const { migrations } = ONBOARDING_DATABASE;
    await migrate(config(), ONBOARDING_DATABASE);
    const before = await shape();
    const former = { ...ONBOARDING_DATABASE, migrations: migrations.slice(0, -1) };
    expect(await migrate(config(), former)).toEqual([]);
    expect(await shape()).toEqual(before);
  });

  it('names the verification that an eKYC is compared with, if its writer does not', async () => {
    const [user, stranger, verification] = [randomUUID(), randomUUID(), randomUUID()];
    await migrate(config(), ONBOARDING_DATABASE);
    const rows = await withSource(async (source) => {
      for (const [id, index] of [
        [user, Buffer.alloc(32)],
        [stranger, Buffer.alloc(32, 1)],
      ] as const)
        await source.query(
          'INSERT INTO onboarding.users (id, phone_index, phone_encrypted) VALUES ($1, $2, $3)',
          [id, index, 'k1.x'],
        );
      await source.query(
        `INSERT INTO onboarding.identities (user_id, verification_id, pan_index, pan_encrypted, dob_encrypted,
           names_encrypted, pan_status, aadhaar_seeding_status) VALUES ($1, $2, $3, 'k1.x', 'k1.x', 'k1.x', 'VALID', 'NA')`,
        [user, verification, Buffer.alloc(32)],
      );
      for (const [userId, isCompared, issuer] of [
        [user, true, 'aravalli'],
        [user, false, 'kaveri'],
        [stranger, true, 'vindhya'],
      ] as const)
        await source.query(
          `INSERT INTO onboarding.ekyc_requests (id, user_id, issuer_slug, method, status, is_compared)
           VALUES (gen_random_uuid(), $1, $2, 'HOSTED', 'VERIFIED', $3)`,
          [userId, issuer, isCompared],
        );
      return source.query<object[]>(
        'SELECT issuer_slug, compared_with FROM onboarding.ekyc_requests ORDER BY issuer_slug',
      );
    });
    expect(rows).toEqual([
      { issuer_slug: 'aravalli', compared_with: verification },
      { issuer_slug: 'kaveri', compared_with: null },
      { issuer_slug: 'vindhya', compared_with: null },
    ]);
  });

  it('unites only consents that are marked as united', async () => {
    await migrate(config(), ONBOARDING_DATABASE);
    const [user, partner] = [randomUUID(), randomUUID()];
    await withSource(async (source) => {
      await source.query(
        'INSERT INTO onboarding.users (id, phone_index, phone_encrypted) VALUES ($1, $2, $3)',
        [user, Buffer.alloc(32), 'k1.x'],
      );
      await source.query(
        "INSERT INTO onboarding.partners (id, name, url, public_key) VALUES ($1, 'P', 'https://p.example', '{}')",
        [partner],
      );
      const consent = (isUnited: string) =>
        source.query(
          `INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash ${isUnited && ', is_united'})
           VALUES (gen_random_uuid(), $1, $2, 'TERMS_OF_USE', '2026-11', '\\x00' ${isUnited && `, ${isUnited}`})`,
          [user, partner],
        );
      for (let login = 0; login < 3; login++) await consent('');
      await consent('true');
      await expect(consent('true')).rejects.toThrow('uq_consents__living');
      const [{ count }] = await source.query<[{ count: number }]>(
        'SELECT count(*)::int AS count FROM onboarding.consents',
      );
      expect(count).toBe(4);
    });
  });
});

/**
 * Constraints that a migration added to a table of the former release, as the test reports them, and why they do not break that
 * release. Any other breaking change takes two releases: the first adds optional parts, the second the rest.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  'BoundKeysInUse1764382000000: keys_in_use ck_keys_in_use__key_id may refuse values that were accepted':
    'that release records only ids of its settings, which have this form',
  'BoundKeysInUse1764382000000: keys_in_use tr_keys_in_use__seen_now may refuse values that were accepted':
    'that release leaves seen_at of a new row to the default, now()',
  'ProveFactSheets1764385000000: consents ck_consents__document_issuer may refuse values that were accepted':
    'that release leaves the new column null',
  'KeepKeysInUse1764381000000: keys_in_use tr_keys_in_use__about_now may refuse values that were accepted':
    'that release sets seen_at to now() alone',
  'KeepKeysInUse1764381000000: keys_in_use tr_keys_in_use__kept may refuse values that were accepted':
    'that release forgets keys only after the rotation of their values, and adds a check value once',
  'TellMoreByMail1764396000000: mail_notices ck_mail_notices__kind may refuse values that were accepted':
    'accepts four kinds more',
};

describe('migrations while the former release runs', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('keeps everything that the former release reads and writes, after each migration', async () => {
    const { migrations, schema } = ONBOARDING_DATABASE;
    const broken: string[] = [];
    let before = await schemaShape(database.url, schema).catch(() => undefined);
    for (let count = 1; count <= migrations.length; count++) {
      const definition = { ...ONBOARDING_DATABASE, migrations: migrations.slice(0, count) };
      const applied = await migrate({ url: database.url, poolSize: 1 }, definition);
      expect(applied).toHaveLength(1);
      const after = await schemaShape(database.url, schema);
      if (before) broken.push(...breaksFormer(before, after).map((text) => `${applied[0]}: ${text}`));
      before = after;
    }
    expect(before!.columns.size).toBeGreaterThan(100);
    // partitions have the triggers of their table
    const ofTable = (text: string): string =>
      text.replace(/((?:journey|insight|audit)_events)_(?:\d{4}(?:_\d\d)?|default) /, '$1 ');
    expect(broken.filter((text) => !(ofTable(text) in HARMLESS))).toEqual([]);
    expect(Object.keys(HARMLESS).filter((text) => !broken.includes(text))).toEqual([]);
    recordEvidence('expand-contract', { migrations: migrations.length, 'that break the release before': 0 });
  });
});

const PAGE = join(import.meta.dirname, '../../../../docs/capacity.md');

/** Unique indexes of tables, without those of partitions, whose columns lack the user: `table (columns)`. */
const WITHOUT_USER = `
  SELECT format('%s (%s)', t.relname, string_agg(a.attname, ', ' ORDER BY k.place)) AS index
    FROM pg_index i
    JOIN pg_class t ON t.oid = i.indrelid AND NOT t.relispartition
    JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = 'onboarding'
    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
   WHERE i.indisunique
   GROUP BY t.relname, i.indexrelid
  HAVING NOT bool_or(a.attname = 'user_id')`;

describe('docs/capacity.md', () => {
  it('plans each unique index without user_id for a PostgreSQL that is distributed by user', async () => {
    const service = await startService();
    const rows = await service.dataSource.query<{ index: string }[]>(WITHOUT_USER);
    const planned = readFileSync(PAGE, 'utf8').matchAll(/^\| `(\w+ \([\w, ]+\))` *\| \S/gm);
    expect([...planned].map(([, index]) => index!).sort()).toEqual(rows.map(({ index }) => index).sort());
    await service.close();
  });
});

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

/**
 * The rows of a person who is ready to book, as commit 10346648 stored them on 28 November 2026 with the keys below. They are never
 * recorded again: no release may lose them.
 */
const ROWS = join(import.meta.dirname, 'stored-rows.jsonl');
const PERSON = { phone: '918270900001', pan: 'QNIES4711R', dob: '1984-05-17' };

const key = (name: string): string =>
  createHash('sha256').update(`key of stored rows: ${name}`).digest('base64');

let service: TestService;
beforeAll(async () => {
  service = await startService({ INDEX_SECRET: key('INDEX'), PII_KEYS: `k1:${key('PII')}` });
  await withoutTriggers(service, 'DELETE FROM onboarding.partners', []);
  for (const line of readFileSync(ROWS, 'utf8').trimEnd().split('\n')) {
    const { table, row } = JSON.parse(line) as { table: string; row: object };
    const columns = Object.keys(row).join(', ');
    await withoutTriggers(
      service,
      `INSERT INTO onboarding.${table} (${columns})
       SELECT ${columns} FROM json_populate_record(NULL::onboarding.${table}, $1::json)`,
      [JSON.stringify(row)],
    );
  }
});
afterAll(() => service.close());

describe('rows of 28 November 2026', () => {
  it('finds the user by phone, and shows the stored data', async () => {
    const user = await logIn(service, PERSON.phone);
    expect(user.is_new_user).toBe(false);
    const api = as(service.api, user);
    expect((await api.get('/api/v1/user-profile')).body).toMatchObject({
      payload: {
        email: 'f***x@mail.example',
        pan: 'XXXXXX711R',
        full_name: 'VIKRAM KUMAR SINGH',
        dob: PERSON.dob,
        is_ekyc_verified: true,
        bank: { account: 'XXXXXXXXXX1111', ifsc: 'HDFC0029000' },
        nominees_count: 1,
      },
    });
    const details = await api.get('/api/v1/personal-details', { query: { issuer_code: 'ARAVFIN' } });
    expect(details.body).toMatchObject({
      payload: {
        mother_name: 'Savitri Devi Gunasekaran',
        communication_address: { line1: 'House 9000 Lotus Street' },
        missing: [],
      },
    });
    expect((await api.get('/api/v1/user-nominee')).body).toMatchObject({
      payload: { nominees: [{ name: 'Chandralekha Venkataraman' }] },
    });
  });

  it('finds the PAN of the user when another user enters it', async () => {
    const api = as(service.api, await logIn(service));
    expectRefusal(await postPan(api, panBody(PERSON.pan, PERSON.dob)), PanErrors.belongsToAnotherUser);
  });
});
