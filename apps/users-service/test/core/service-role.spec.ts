import { randomUUID } from 'node:crypto';
import { ConfigError, DatabaseModule, migrate, PlatformModule } from '@fd/platform';
import {
  administer,
  createTestDatabase,
  eventually,
  recordEvidence,
  SERVICE_ROLE,
  startTestApp,
} from '@fd/testing';
import { Test } from '@nestjs/testing';
import { AppModule } from '../../src/app.module.js';
import { type UsersConfig, usersConfig } from '../../src/config/users-config.js';
import { AuditSealer } from '../../src/core/audit/audit-sealer.service.js';
import { AuditTrail } from '../../src/core/audit/audit-trail.js';
import { ONBOARDING_DATABASE } from '../../src/onboarding-database.js';
import { USERS_SERVICE } from '../../src/service.js';
import { sealTrail } from '../support/audit.js';
import { FakeClock } from '../support/fake-clock.js';
import { logIn } from '../support/login.js';
import { maintenance } from '../support/partitions.js';
import { withoutTriggers } from '../support/past-rows.js';
import { settings } from '../support/settings.js';
import { startService, type TestService } from '../support/users-app.js';

/** Returns a statement that copies a row of a table, with other values in some columns. */
const add = (table: string, values: Readonly<Record<string, string>>): string => {
  const keyed = ['consents', 'nominee_waivers', 'journey_events'].includes(table);
  const own = JSON.stringify({ ...(keyed && { id: randomUUID() }), ...values });
  // what the table fills in by itself is current
  const times = ['given_at', 'accepted_at', 'declared_at', 'erased_at', 'occurred_at'];
  const now = times.map((name) => `'${name}', now()`).join(', ');
  return `INSERT INTO onboarding.${table} SELECT (json_populate_record(NULL::onboarding.${table},
    (to_jsonb(t) || jsonb_build_object(${now}, 'is_united', false) || '${own}')::json)).* FROM onboarding.${table} t LIMIT 1`;
};

const AUDIT_TABLES = ['audit_unsealed', 'audit_events', 'audit_checkpoints'];

describe('the service’s database role', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({});
    await logIn(service);
    await sealTrail(service);
  });
  afterAll(() => service.close());

  /** Runs statements as an attacker who controls a replica, with all rights of its role. */
  const asService = (...statements: string[]): Promise<object[]> =>
    administer(service.environment['DATABASE_URL']!, ...statements);

  const anEvent = (): Promise<void> =>
    service.app
      .get(AuditTrail)
      .record(service.database.manager, { action: 'PROFILE_READ', subject: randomUUID() });

  it.each(AUDIT_TABLES)('lets the service neither change rows of %s nor alter the table', async (table) => {
    const statements = [
      `UPDATE onboarding.${table} SET proof = 'x'`,
      `DELETE FROM onboarding.${table}`,
      `TRUNCATE onboarding.${table}`,
      `ALTER TABLE onboarding.${table} DISABLE TRIGGER ALL`,
      `ALTER TABLE onboarding.${table} DROP COLUMN proof`,
      `DROP TABLE onboarding.${table}`,
      `CREATE TRIGGER own BEFORE INSERT ON onboarding.${table} EXECUTE FUNCTION onboarding.refuse_change()`,
      `CREATE RULE own AS ON INSERT TO onboarding.${table} DO INSTEAD NOTHING`,
      `BEGIN; LOCK TABLE onboarding.${table} IN ACCESS EXCLUSIVE MODE`,
      `SELECT FROM onboarding.${table} FOR UPDATE`,
    ];
    for (const statement of statements)
      await expect(asService(statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  it.each([
    ['changes the purpose of a consent', "UPDATE onboarding.consents SET purpose = 'CKYC'"],
    ['revives a withdrawn consent', 'UPDATE onboarding.consents SET withdrawn_at = NULL'],
    [
      'withdraws a consent in the past',
      "UPDATE onboarding.consents SET withdrawn_at = now() - interval '8 years'",
    ],
    ['deletes consents', 'DELETE FROM onboarding.consents'],
    ['changes the time of an erasure', 'UPDATE onboarding.erased_users SET erased_at = now()'],
    [
      'destroys a KYC record early',
      'UPDATE onboarding.erased_users SET kyc_until = NULL, kyc_record_encrypted = NULL',
    ],
    ['forgets an erasure', 'DELETE FROM onboarding.erased_users'],
    ['dates a declaration back', "UPDATE onboarding.accepted_declarations SET accepted_at = '2020-01-01'"],
    ['deletes a declaration', 'DELETE FROM onboarding.accepted_declarations'],
    ['dates a waiver back', "UPDATE onboarding.nominee_waivers SET declared_at = '2020-01-01'"],
    ['ends a waiver in the past', "UPDATE onboarding.nominee_waivers SET ended_at = '2020-01-01'"],
    ['deletes a waiver', 'DELETE FROM onboarding.nominee_waivers'],
    ['gives a consent in the past', add('consents', { given_at: '2020-01-01' })],
    ['gives a withdrawn consent', add('consents', { withdrawn_at: '2020-01-01' })],
    [
      'accepts a declaration in the past',
      add('accepted_declarations', { code: 'X', accepted_at: '2020-01-01' }),
    ],
    ['waives nominees in the past', add('nominee_waivers', { declared_at: '2020-01-01' })],
    ['records an ended waiver', add('nominee_waivers', { ended_at: '2020-01-01' })],
    ['records a step in the past', add('journey_events', { occurred_at: '2020-01-01' })],
    [
      'puts a step before others of the history',
      add('journey_events', { id: '01890000-0000-7000-8000-000000000000' }),
    ],
    ['forgets a key that encrypts data', "DELETE FROM onboarding.keys_in_use WHERE purpose = 'PII'"],
    ['forgets the secret of the indexes', "DELETE FROM onboarding.keys_in_use WHERE purpose = 'INDEX'"],
    ['renames a key', "UPDATE onboarding.keys_in_use SET key_id = 'x' WHERE purpose = 'PII'"],
    ['replaces the check value of a key', "UPDATE onboarding.keys_in_use SET check_value = 'x'"],
    ['clears the check value of a key', 'UPDATE onboarding.keys_in_use SET check_value = NULL'],
    ['makes a key look unused', "UPDATE onboarding.keys_in_use SET seen_at = now() - interval '1 hour'"],
    ['blocks a rotation', "UPDATE onboarding.keys_in_use SET seen_at = now() + interval '1 year'"],
    ...(
      [
        ['that no setting can have', "'PII', 'no id'"],
        ['of an endless id', "'PII', repeat('k', 33)"],
        ['for the indexes under another name', "'INDEX', 'evil'"],
        ['for an unknown purpose', "'EVIL', 'k'"],
      ] as const
    ).map(([which, values]): [string, string] => [
      `records a key ${which}`,
      `INSERT INTO onboarding.keys_in_use (purpose, key_id) VALUES (${values})`,
    ]),
    [
      'records a key that a replica will always use',
      "INSERT INTO onboarding.keys_in_use (purpose, key_id, seen_at) VALUES ('PII', 'k', 'infinity')",
    ],
    [
      'reports an event that no partition would end with',
      `INSERT INTO onboarding.insight_events (user_id, event_id, event_name, occurred_at, received_at, properties)
       SELECT id, gen_random_uuid(), 'PAN_SUBMITTED', now(), '2999-01-01', '{}' FROM onboarding.users LIMIT 1`,
    ],
    ['records a step with a reason of a megabyte', add('journey_events', { reason: 'X'.repeat(1_000_000) })],
    ['gives a consent to a purpose of a megabyte', add('consents', { purpose: 'X'.repeat(1_000_000) })],
    [
      'waives nominees with a version of a megabyte',
      add('nominee_waivers', { declaration_version: 'X'.repeat(1_000_000) }),
    ],
    ['erases in the past', add('erased_users', { user_id: randomUUID(), erased_at: '2020-01-01' })],
    [
      'records the erasure of a living user',
      'INSERT INTO onboarding.erased_users (user_id) SELECT min(id::text)::uuid FROM onboarding.users',
    ],
    [
      'deletes declarations of a user whose erasure it only claims',
      `BEGIN; INSERT INTO onboarding.erased_users (user_id) SELECT user_id FROM onboarding.accepted_declarations LIMIT 1;
       DELETE FROM onboarding.accepted_declarations WHERE user_id IN (SELECT user_id FROM onboarding.erased_users); COMMIT`,
    ],
  ])('refuses the service when it %s', async (_name, statement) => {
    const { user_id: user } = await logIn(service);
    for (const declared of [
      "INSERT INTO onboarding.accepted_declarations (user_id, code, version) VALUES ($1, 'OWN_FUNDS', '1')",
      `INSERT INTO onboarding.nominee_waivers (id, user_id, declaration_version) VALUES (gen_random_uuid(), $1, '1')`,
    ])
      await service.dataSource.query(declared, [user]);
    await service.dataSource.query('UPDATE onboarding.consents SET withdrawn_at = now() WHERE user_id = $1', [
      user,
    ]);
    await withoutTriggers(
      service,
      `INSERT INTO onboarding.erased_users (user_id, erased_at, kyc_until, kyc_record_encrypted)
       VALUES ($1, now() - interval '1 day', '2999-01-01', 'x')`,
      [randomUUID()],
    );
    await expect(asService(statement)).rejects.toThrow(
      /permission denied|consents are|erasures are|declarations are|waivers are|keys in use are|are about now|still there|check constraint/,
    );
  });

  it.each([
    ['deletes a user', 'DELETE FROM onboarding.users'],
    ['gives a user another id', 'UPDATE onboarding.users SET id = gen_random_uuid()'],
  ])('refuses the service when it %s without a record of the erasure', async (_name, statement) => {
    const { user_id: user } = await logIn(service);
    const tried = asService(`DO $$ BEGIN
      DELETE FROM onboarding.sessions WHERE user_id = '${user}';
      DELETE FROM onboarding.journey_steps WHERE user_id = '${user}';
      ${statement} WHERE id = '${user}';
    END $$`);
    await expect(tried).rejects.toThrow('users are kept until their erasure is recorded');
  });

  it.each(["PASSWORD 'x'", 'SET synchronous_commit = off'])(
    'does not change its role by a query, into which an attacker may inject more: %s',
    async (change) => {
      const injected = `SELECT query_to_xml($$ALTER ROLE ${SERVICE_ROLE} ${change}$$, false, false, '')`;
      await expect(asService(injected)).rejects.toThrow('is not allowed in a non-volatile function');
      await expect(
        service.database.query(`SELECT $1; ALTER ROLE ${SERVICE_ROLE} ${change}`, ['']),
      ).rejects.toThrow('cannot insert multiple commands into a prepared statement');
    },
  );

  it('lets the service forget a key without data, and note the check value of one once', async () => {
    const keys = 'onboarding.keys_in_use';
    await asService(`INSERT INTO ${keys} (purpose, key_id) VALUES ('PII', 'k')`);
    await asService(`UPDATE ${keys} SET check_value = 'x', seen_at = now() WHERE key_id = 'k'`);
    await expect(asService(`UPDATE ${keys} SET check_value = 'y' WHERE key_id = 'k'`)).rejects.toThrow(
      'kept',
    );
    await asService(`DELETE FROM ${keys} WHERE key_id = 'k'`);
    expect(await asService(`SELECT FROM ${keys} WHERE key_id = 'k'`)).toEqual([]);
  });

  it('looks up names in no schema of a session in the functions of triggers', async () => {
    const functions = (await asService(
      `SELECT proname AS name, proconfig::text AS config FROM pg_proc
        WHERE pronamespace = 'onboarding'::regnamespace AND prorettype = 'trigger'::regtype`,
    )) as { name: string; config: string | null }[];
    expect(functions.length).toBeGreaterThan(7);
    expect(functions.filter(({ config }) => config !== '{"search_path=pg_catalog, pg_temp"}')).toEqual([]);
  });

  it.each([
    ['writes to the chain directly', 'INSERT INTO onboarding.audit_events DEFAULT VALUES'],
    ['writes a checkpoint by itself', 'INSERT INTO onboarding.audit_checkpoints DEFAULT VALUES'],
    ['switches triggers off', 'SET session_replication_role = replica'],
    ['replaces a function', 'CREATE OR REPLACE FUNCTION onboarding.refuse_change() RETURNS int RETURN 1'],
    ['makes a table', 'CREATE TABLE onboarding.own (id int)'],
    ['drops the schema', 'DROP SCHEMA onboarding CASCADE'],
    ['forgets a migration', 'DELETE FROM onboarding.migrations'],
    ['reads the migrations', 'SELECT FROM onboarding.migrations'],
    ['becomes the owner', 'SET ROLE postgres'],
    ['rewrites the journey', "UPDATE onboarding.journey_events SET reason = 'x'"],
  ])('refuses the service when it %s', async (_name, statement) => {
    await expect(asService(statement)).rejects.toThrow(/permission denied|must be (able to|owner)/);
  });

  it('deletes no unsealed or already sealed events through the sealing function', async () => {
    const [sealed] = (await asService(
      'SELECT id, seq FROM onboarding.audit_events ORDER BY seq LIMIT 1',
    )) as [{ id: string; seq: string }];
    const seal = (ids: string[], seqs: string[], hashes: string[], at = 'now()'): Promise<object[]> => {
      const list = (values: string[]): string => `ARRAY[${values.map((value) => `'${value}'`).join(', ')}]`;
      return asService(
        `SELECT onboarding.seal_audit_events(${list(ids)}::uuid[], ${list(seqs)}::bigint[], ${list(hashes)}, ${at})`,
      );
    };
    const [{ seq: last }] = (await asService('SELECT max(seq) AS seq FROM onboarding.audit_events')) as [
      { seq: string },
    ];
    // counts up to the last event, since the service seals pending ones meanwhile
    const count = async (): Promise<unknown> =>
      (await asService(`SELECT count(*)::int AS count FROM onboarding.audit_events WHERE seq <= ${last}`))[0];
    const before = await count();
    const next = async (): Promise<number> => {
      const [{ seq }] = (await asService('SELECT max(seq) + 1 AS seq FROM onboarding.audit_events')) as [
        { seq: string },
      ];
      return Number(seq);
    };
    // an id that is not pending; tried again if the service took the number first
    await eventually(async () => {
      const seq = await next();
      const missing = seal([randomUUID(), sealed.id], [String(seq), String(seq + 1)], ['x', 'x']);
      await expect(missing).rejects.toThrow('does not wait');
    });
    expect(await count()).toEqual(before);
    // a pending copy of a sealed event stays as evidence
    const columns = `id, occurred_at, actor, action, subject_user_id, outcome, code, issuer_slug, object_id, session_id,
      request_id, proof`;
    await asService(
      `INSERT INTO onboarding.audit_unsealed (${columns}) SELECT ${columns} FROM onboarding.audit_events
        WHERE id = '${sealed.id}'`,
    );
    await eventually(async () =>
      expect(seal([sealed.id], [String(await next())], ['x'])).rejects.toThrow('sealed already'),
    );
    expect(await asService(`SELECT FROM onboarding.audit_unsealed WHERE id = '${sealed.id}'`)).toHaveLength(
      1,
    );
    expect(await count()).toEqual(before);
  });

  it('refuses to seal an event with an earlier time, which could be purged at once', async () => {
    // uncommitted, so that no sealer of the service sees it first
    const tried = service.database.transaction(async (transaction) => {
      await service.app
        .get(AuditTrail)
        .record(transaction, { action: 'PROFILE_READ', subject: randomUUID() });
      await transaction.query(
        `SELECT onboarding.seal_audit_events(array_agg(id), array_agg(0::bigint), array_agg('x'::text),
                                             now() - interval '401 days') FROM onboarding.audit_unsealed`,
      );
    });
    await expect(tried).rejects.toThrow('cannot be sealed before they happen');
  });

  it("uses no table of the role in the owner's function", async () => {
    await anEvent();
    await asService(
      'CREATE TEMPORARY TABLE audit_unsealed AS SELECT * FROM onboarding.audit_events LIMIT 0',
      'SET search_path = pg_temp',
      `DO $$ BEGIN
         PERFORM onboarding.seal_audit_events(ARRAY[gen_random_uuid()], ARRAY[(SELECT max(seq) + 1 FROM onboarding.audit_events)],
                                              ARRAY['forged'], now());
       EXCEPTION WHEN raise_exception THEN NULL; END $$`,
    );
    await eventually(async () =>
      expect(await asService("SELECT FROM onboarding.audit_events WHERE hash = 'forged'")).toEqual([]),
    );
  });

  describe('that adds its own event', () => {
    const COLUMNS = 'id, occurred_at, actor, action, outcome, proof';
    const ADDED = `INSERT INTO onboarding.audit_unsealed (${COLUMNS})
       VALUES ($1, $2, 'unknown', 'PROFILE_READ', 'OK', 'own.x')`;
    const EARLIEST = '4714-11-24 00:00:00+00 BC';
    const TIMES = ['2999-01-01', '294276-12-31', 'infinity', EARLIEST, '-infinity'];

    it.each([...TIMES, '2020-01-01'])('refuses an event of %s', async (occurredAt) => {
      const added = service.database.query(ADDED, [randomUUID(), occurredAt]);
      await expect(added).rejects.toThrow('are about now');
    });

    it('refuses an event with a proof of a megabyte, which would end the replicas that seal', async () => {
      const proof = `own.${'x'.repeat(1_000_000)}`;
      const added = service.database.query(ADDED.replace('own.x', proof), [randomUUID(), new Date()]);
      await expect(added).rejects.toThrow('ck_audit_unsealed__proof');
    });

    it.each(TIMES)(
      'delays no event because of one of %s, which the former release accepted',
      async (occurredAt) => {
        const id = randomUUID();
        await withoutTriggers(service, ADDED, [id, occurredAt]);
        const subject = randomUUID();
        await service.app
          .get(AuditTrail)
          .record(service.database.manager, { action: 'PROFILE_READ', subject });
        await service.app.get(AuditSealer).sealAll();
        await eventually(async () =>
          expect(
            await asService(`SELECT FROM onboarding.audit_events WHERE subject_user_id = '${subject}'`),
          ).toHaveLength(1),
        );
        // a plan without the index evaluates the times of all pending events
        await asService(
          `DO $$ BEGIN
           SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_indexonlyscan = off;
           PERFORM onboarding.seal_audit_events('{}', '{}', '{}', now());
         END $$`,
        );
        // the event stays as evidence
        expect(await asService(`SELECT FROM onboarding.audit_unsealed WHERE id = '${id}'`)).toHaveLength(1);
        await administer(
          service.environment['MIGRATIONS_DATABASE_URL']!,
          'ALTER TABLE onboarding.audit_unsealed DISABLE TRIGGER tr_audit_unsealed__kept',
          `DELETE FROM onboarding.audit_unsealed WHERE id = '${id}'`,
          'ALTER TABLE onboarding.audit_unsealed ENABLE TRIGGER tr_audit_unsealed__kept',
        );
      },
    );

    it.each([
      ['a hash of a megabyte', 'last.seq + 1', 'now()', 'now()', 'check constraint', "repeat('x', 1000000)"],
      [
        'a number that leaves none for later events',
        'last.seq + 9007199254740990',
        'now()',
        'now()',
        'order of their numbers',
      ],
      ['the number of another event', 'last.seq', 'now()', 'now()', 'order of their numbers'],
      ['a future time', 'last.seq + 1', "now() + interval '10 years'", 'now()', 'order of time'],
      [
        'a time in the past',
        'last.seq + 1',
        "now() - interval '23 hours'",
        "now() - interval '23 hours'",
        'order of time',
      ],
    ])(
      'refuses to seal an event with %s',
      async (_name, seq, moment, occurredAt, problem, hash = "'own.x'") => {
        const tried = asService(
          `DO $$
         DECLARE own uuid; last record;
         BEGIN
           INSERT INTO onboarding.audit_unsealed (${COLUMNS})
           VALUES (gen_random_uuid(), ${occurredAt}, 'unknown', 'PROFILE_READ', 'OK', 'own.x') RETURNING id INTO own;
           SELECT max(e.seq) AS seq INTO last FROM onboarding.audit_events e;
           PERFORM onboarding.seal_audit_events(ARRAY[own], ARRAY[${seq}]::bigint[], ARRAY[${hash}], ${moment});
         END $$`,
        );
        await expect(tried).rejects.toThrow(problem);
      },
    );
  });

  it('grants exactly the listed rights on every table, and none on partitions', async () => {
    const rows = (await administer(
      service.environment['MIGRATIONS_DATABASE_URL']!,
      `SELECT c.relname AS name, c.relispartition AS part, string_agg(a.privilege_type, ' ' ORDER BY a.privilege_type COLLATE "C") AS rights
         FROM pg_class c LEFT JOIN aclexplode(c.relacl) a ON a.grantee = '${SERVICE_ROLE}'::regrole
        WHERE c.relnamespace = 'onboarding'::regnamespace AND c.relkind IN ('r', 'p') GROUP BY 1, 2`,
    )) as { name: string; part: boolean; rights: string | null }[];
    const restricted: Record<string, readonly string[]> = {
      migrations: [],
      ...ONBOARDING_DATABASE.restricted,
    };
    expect(rows.length).toBeGreaterThan(25);
    for (const { name, part, rights } of rows) {
      const expected = part ? [] : (restricted[name] ?? ['SELECT', 'INSERT', 'UPDATE', 'DELETE']);
      expect({ name, rights: rights?.split(' ') ?? [] }).toEqual({ name, rights: [...expected].sort() });
    }
    recordEvidence('audit-append-only', {
      tables: rows.length,
      'tables of the trail': AUDIT_TABLES.length,
      'rights to change or delete there': 0,
    });
  });

  it('grants no UPDATE right on tables whose trigger refuses updates', async () => {
    // UPDATE is bit 4 of tgtype
    const tables = (await administer(
      service.environment['MIGRATIONS_DATABASE_URL']!,
      `SELECT DISTINCT relname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
        WHERE tgfoid = 'onboarding.refuse_change'::regproc AND tgtype & 16 = 16 AND NOT relispartition
          -- its clean-up locks rows, which takes the right; the trigger refuses updates
          AND relname <> 'insight_events'`,
    )) as { name: string }[];
    const views = ['users_on_hold', 'pan_holders', 'profiles'];
    const appendOnly = Object.entries(ONBOARDING_DATABASE.restricted!).filter(
      ([name, rights]) => !rights.includes('UPDATE') && !views.includes(name),
    );
    expect(tables.map(({ name }) => name).sort()).toEqual(appendOnly.map(([name]) => name).sort());
  });

  it('stores no key of the audit trail, of personal data or of the indexes in the database', async () => {
    const { AUDIT_KEYS, PII_KEYS, INDEX_SECRET } = service.environment;
    const secrets = [AUDIT_KEYS!, PII_KEYS!, INDEX_SECRET!].map((text) => text.slice(text.indexOf(':') + 1));
    const forms = secrets.flatMap((text) => {
      const bytes = Buffer.from(text, 'base64');
      return [text, bytes.toString('hex'), bytes.toString('base64url')];
    });
    const tables = await service.dataSource.query<{ name: string }[]>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'onboarding'",
    );
    for (const { name } of tables) {
      const found = await service.dataSource.query<object[]>(
        `SELECT FROM onboarding.${name} t, unnest($1::text[]) form WHERE strpos(t::text, form) > 0`,
        [forms],
      );
      expect([name, found]).toEqual([name, []]);
    }
    const purposes = await service.dataSource.query<{ purpose: string }[]>(
      'SELECT DISTINCT purpose FROM onboarding.keys_in_use ORDER BY 1',
    );
    expect(purposes.map(({ purpose }) => purpose)).toEqual(['INDEX', 'PII']);
  });
});

describe('migrate with a role of the service', () => {
  it('grants rights on new tables, revokes excess rights, and refuses the owner', async () => {
    const database = await createTestDatabase();
    await migrate(database.owner, ONBOARDING_DATABASE);
    await administer(
      database.url,
      'CREATE TABLE onboarding.later (id int) PARTITION BY RANGE (id)',
      'CREATE TABLE onboarding.later_1 PARTITION OF onboarding.later FOR VALUES FROM (1) TO (2)',
      `GRANT ALL ON onboarding.audit_events, onboarding.migrations, onboarding.later_1 TO ${SERVICE_ROLE}`,
      `ALTER DEFAULT PRIVILEGES GRANT DELETE ON TABLES TO ${SERVICE_ROLE}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA onboarding GRANT INSERT ON TABLES TO ${SERVICE_ROLE}`,
    );
    await migrate(database.owner, ONBOARDING_DATABASE);
    await administer(
      database.url,
      'CREATE TABLE onboarding.later_2 PARTITION OF onboarding.later FOR VALUES FROM (2) TO (3)',
    );
    await administer(database.serviceUrl, 'INSERT INTO onboarding.later VALUES (1)');
    for (const denied of [
      'UPDATE onboarding.audit_events SET seq = 1',
      'DELETE FROM onboarding.later_1',
      'INSERT INTO onboarding.later_2 VALUES (2)',
      'DELETE FROM onboarding.later_2',
    ])
      await expect(administer(database.serviceUrl, denied)).rejects.toThrow('permission denied');
    for (const [serviceRole, problem] of [
      ['postgres', 'has the rights of the owner'],
      ['nobody', 'has no role nobody'],
    ] as const) {
      const refused = migrate({ ...database.owner, serviceRole }, ONBOARDING_DATABASE);
      await expect(refused).rejects.toThrow(problem);
    }
    await database.drop();
  });

  it('runs no function that the owner of the database has put in front of those of PostgreSQL', async () => {
    const database = await createTestDatabase();
    const planted = [
      'now()',
      'to_regclass(text)',
      'pg_try_advisory_lock(integer, integer)',
      'hashtext(text)',
    ];
    await administer(
      database.url,
      'CREATE SCHEMA planted',
      ...planted.map(
        (name) =>
          `CREATE FUNCTION planted.${name} RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$`,
      ),
      `ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET search_path = planted, pg_catalog, public`,
    );
    await expect(administer(database.url, 'SELECT now()')).rejects.toThrow('planted');
    await migrate(database.owner, ONBOARDING_DATABASE);
    const now = new Date();
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2)).toISOString().slice(0, 7);
    const made = [`insight_events_${month.replace('-', '_')}`];
    await administer(database.url, `DROP TABLE onboarding.${made[0]!}`);
    const environment = settings({ DATABASE_URL: database.url });
    expect(await maintenance({ environment })).toEqual({ made, dropped: [], strays: [], failures: [] });
    await database.drop();
  });
});

describe('the role of the service in production', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({});
  });
  afterAll(() => service.close());

  const ownerUrl = (): string => service.environment['MIGRATIONS_DATABASE_URL']!;
  const configAs = (url: string): UsersConfig => {
    const { MIGRATIONS_DATABASE_URL: _, ...environment } = service.environment;
    const config = usersConfig({ ...environment, DATABASE_URL: url });
    return { ...config, database: { ...config.database, isRoleChecked: true } };
  };
  const startAs = async (url: string): Promise<void> => {
    const config = configAs(url);
    await (
      await startTestApp(AppModule.forRoot(config), config.http, USERS_SERVICE, new FakeClock())
    ).close();
  };
  /** Starts only the module that checks the role, since all of them take ten times as long. */
  const connectAs = async (url: string): Promise<void> => {
    const database = DatabaseModule.forRoot(configAs(url).database, ONBOARDING_DATABASE);
    const module = await Test.createTestingModule({ imports: [PlatformModule, database] }).compile();
    await module.init().finally(() => module.close());
  };

  it('starts the service with the role that migrate has prepared, not with the owner of the schema', async () => {
    await startAs(service.environment['DATABASE_URL']!);
    await expect(startAs(ownerUrl())).rejects.toThrow(
      /DATABASE_URL: names a role with more rights or settings/,
    );
  });

  const OWNER = 'schema_owner';
  const PARTITION = `audit_events_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
  it.each<[string, string, string[]]>([
    [
      'becomes the owner by SET ROLE',
      'ownership of schema onboarding',
      [`CREATE ROLE ${OWNER}`, `ALTER SCHEMA onboarding OWNER TO ${OWNER}`, `GRANT ${OWNER} TO {role}`],
    ],
    [
      'becomes the owner by RESET ROLE',
      'ownership of schema onboarding',
      [
        `CREATE ROLE ${OWNER}`,
        `ALTER SCHEMA onboarding OWNER TO ${OWNER}`,
        `GRANT ${OWNER} TO {role}`,
        `ALTER ROLE {role} SET role = ${SERVICE_ROLE}`,
      ],
    ],
    ['owns the schema', 'ownership of schema onboarding', ['ALTER SCHEMA onboarding OWNER TO {role}']],
    [
      'owns a table',
      'ownership of table onboarding.consents',
      ['ALTER TABLE onboarding.consents OWNER TO {role}'],
    ],
    [
      'owns a function of the triggers',
      'ownership of function onboarding.refuse_change()',
      ['ALTER FUNCTION onboarding.refuse_change() OWNER TO {role}'],
    ],
    ['owns the database', 'ownership of database {database}', ['ALTER DATABASE {database} OWNER TO {role}']],
    [
      'owns the database and hides it by functions of its own',
      'ownership of database {database}',
      [
        'CREATE SCHEMA planted',
        'GRANT USAGE ON SCHEMA planted TO PUBLIC',
        'CREATE FUNCTION planted.pg_has_role(name, oid, text) RETURNS boolean RETURN false',
        'ALTER DATABASE {database} SET search_path = planted, pg_catalog',
        'ALTER DATABASE {database} OWNER TO {role}',
      ],
    ],
    ['makes schemas', 'CREATE on database {database}', ['GRANT CREATE ON DATABASE {database} TO {role}']],
    ['makes functions', 'CREATE on schema onboarding', ['GRANT CREATE ON SCHEMA onboarding TO {role}']],
    ['is a superuser', ': SUPERUSER', ['ALTER ROLE {role} SUPERUSER']],
    // up to PostgreSQL 15 it makes itself a member of the owner
    ['makes roles', 'CREATEROLE', ['ALTER ROLE {role} CREATEROLE']],
    ['makes databases', 'CREATEDB', ['ALTER ROLE {role} CREATEDB']],
    ['ends sessions of others', 'membership of pg_signal_backend', ['GRANT pg_signal_backend TO {role}']],
    [
      'reads files of the server',
      'EXECUTE on function pg_read_file(text)',
      ['GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {role}'],
    ],
    ['reads passwords', 'SELECT on pg_authid', ['GRANT SELECT ON pg_authid TO {role}']],
    ['reads the log of changes', 'REPLICATION', ['ALTER ROLE {role} REPLICATION']],
    ['passes row security', 'BYPASSRLS', ['ALTER ROLE {role} BYPASSRLS']],
    ['writes files', 'membership of pg_write_server_files', ['GRANT pg_write_server_files TO {role}']],
    [
      'switches triggers off',
      'SET on parameter session_replication_role',
      ['GRANT SET ON PARAMETER session_replication_role TO {role}'],
    ],
    [
      'changes a column of the trail',
      'UPDATE on onboarding.audit_events',
      ['GRANT UPDATE (outcome) ON onboarding.audit_events TO {role}'],
    ],
    [
      'adds sealed events',
      'INSERT on onboarding.audit_events',
      ['GRANT INSERT ON onboarding.audit_events TO {role}'],
    ],
    [
      'deletes from a partition',
      `DELETE on onboarding.${PARTITION}`,
      [`GRANT DELETE ON onboarding.${PARTITION} TO {role}`],
    ],
    [
      'deletes events before they are sealed',
      'DELETE on onboarding.audit_unsealed',
      ['GRANT DELETE ON onboarding.audit_unsealed TO {role}'],
    ],
    [
      'makes triggers on consents and empties them',
      'TRIGGER, TRUNCATE on onboarding.consents',
      ['GRANT TRIGGER, TRUNCATE ON onboarding.consents TO {role}'],
    ],
    [
      'reads migrations',
      'SELECT on onboarding.migrations',
      ['GRANT SELECT ON onboarding.migrations TO PUBLIC'],
    ],
    [
      'calls a function that runs as the owner',
      'EXECUTE on function onboarding.forget(), which runs as {owner}',
      // functions are for PUBLIC by default
      [
        `CREATE FUNCTION onboarding.forget() RETURNS void SECURITY DEFINER LANGUAGE sql
         AS 'DELETE FROM onboarding.audit_unsealed'`,
      ],
    ],
    [
      'gets rights on each new partition',
      'DELETE on future tables of {owner}',
      ['ALTER DEFAULT PRIVILEGES IN SCHEMA onboarding GRANT DELETE ON TABLES TO {role}'],
    ],
    [
      'gets rights on each new table like everyone',
      'TRUNCATE on future tables of {owner}',
      ['ALTER DEFAULT PRIVILEGES GRANT TRUNCATE ON TABLES TO PUBLIC'],
    ],
    [
      'reads a table of another schema',
      'SELECT on public.foreign_rows',
      ['CREATE TABLE public.foreign_rows (id int)', 'GRANT SELECT ON public.foreign_rows TO {role}'],
    ],
    // PostgreSQL lets every role change its own settings, so an attacker could leave them to later replicas
    ...['', 'IN DATABASE {database} '].flatMap((where) =>
      [
        ['synchronous_commit', 'off'],
        ['default_transaction_read_only', 'on'],
        ['search_path', 'pg_temp, onboarding'],
      ].map(([name, value]): [string, string, string[]] => [
        `has given itself ${name} ${where}`,
        `setting ${name} of {role}`,
        ['SET ROLE {role}', `ALTER ROLE {role} ${where}SET ${name} = ${value}`, 'RESET ROLE'],
      ]),
    ),
  ])('does not connect with a role that %s', async (_name, excess, given) => {
    const role = `member_${randomUUID().replaceAll('-', '')}`;
    const ofRole = new URL(service.environment['DATABASE_URL']!);
    ofRole.username = ofRole.password = role;
    const [owner, database] = [new URL(ownerUrl()).username, ofRole.pathname.slice(1)];
    const filled = (text: string): string =>
      text.replaceAll('{role}', role).replace('{database}', database).replace('{owner}', owner);
    try {
      await administer(
        ownerUrl(),
        `CREATE ROLE ${role} LOGIN NOINHERIT PASSWORD '${role}'`,
        `GRANT USAGE ON SCHEMA onboarding TO ${role}`,
        `GRANT ${SERVICE_ROLE} TO ${role}`,
        ...given.map(filled),
      );
      const connected = connectAs(ofRole.href);
      await expect(connected).rejects.toThrow(ConfigError);
      await expect(connected).rejects.toThrow(filled(excess));
    } finally {
      await administer(
        ownerUrl(),
        `ALTER DATABASE ${database} RESET search_path`,
        ...[role, OWNER].map(
          (name) => `DO $$ BEGIN IF to_regrole('${name}') IS NOT NULL THEN
            REASSIGN OWNED BY ${name} TO ${owner}; DROP OWNED BY ${name}; DROP ROLE ${name}; END IF; END $$`,
        ),
        'DROP TABLE IF EXISTS public.foreign_rows',
        'DROP FUNCTION IF EXISTS onboarding.forget()',
        'ALTER DEFAULT PRIVILEGES REVOKE TRUNCATE ON TABLES FROM PUBLIC',
        'DROP SCHEMA IF EXISTS planted CASCADE',
        'REVOKE ALL ON onboarding.migrations FROM PUBLIC',
      );
    }
  });

  it('starts the service with the limits of a pooler, and with settings that only a superuser can make', async () => {
    const name = new URL(ownerUrl()).pathname.slice(1);
    const settings = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const of = `ALTER ROLE ${SERVICE_ROLE} IN DATABASE ${name}`;
    await administer(
      ownerUrl(),
      ...[...settings, 'log_min_duration_statement'].map((setting) => `${of} SET ${setting} = '500ms'`),
    );
    await startAs(service.environment['DATABASE_URL']!);
    await administer(ownerUrl(), `${of} RESET ALL`);
  });
});
