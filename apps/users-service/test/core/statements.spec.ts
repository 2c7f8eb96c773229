import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EkycErrors } from '@fd/errors';
import {
  beforeCommit,
  commit,
  dataSourceOptions,
  isDatabaseUnavailable,
  migrate,
  pipelined,
  ServiceDataSource,
  Statement,
  statement,
  whenCommitted,
} from '@fd/platform';
import {
  administer,
  createTestDatabase,
  inParallel,
  SERVICE_ROLE,
  shapesOf,
  type StatementShape,
  TcpProxy,
  type TestDatabase,
} from '@fd/testing';
import { Logger } from '@nestjs/common';
import type { Response } from 'supertest';
import { DataSource, type EntityManager } from 'typeorm';
import { ReadyApplications } from '../../src/application/booking/ready-applications.service.js';
import { BeneficiaryRegistration } from '../../src/banking/registration/beneficiary-registration.service.js';
import { BeneficiaryWithdrawal } from '../../src/banking/registration/beneficiary-withdrawal.service.js';
import { AccountVerification } from '../../src/banking/verification/account-verification.service.js';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { EventDeliveries } from '../../src/events/delivery/event-deliveries.service.js';
import { PartnerEvents } from '../../src/events/index.js';
import { EventLog } from '../../src/events/outbox/event-log.repository.js';
import { ONBOARDING_DATABASE } from '../../src/onboarding-database.js';
import { bankBody, HOLDER, postBank } from '../support/bank.js';
import { EventReceiver, listen, runEvents } from '../support/event-receiver.js';
import { aPhone, codeOf } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { type Answer, JourneyClient } from '../support/journey-client.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { runBank, runPan, WHO } from '../support/operator.js';
import { postNominee } from '../support/nominees.js';
import { knownAs, panBody, postPan } from '../support/pan.js';
import { aPartner } from '../support/partner.js';
import { aPerson } from '../support/person.js';
import { noteStatements } from '../support/sent-statements.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

describe('pipelined statements of a transaction', () => {
  let service: TestService;
  let proxy: TcpProxy;
  let dataSource: ServiceDataSource;
  beforeAll(async () => {
    service = await startService();
    proxy = await TcpProxy.before(service.environment['MIGRATIONS_DATABASE_URL']!);
    const definition = { schema: 'onboarding', entities: [], migrations: [] };
    dataSource = new ServiceDataSource(dataSourceOptions({ url: proxy.url, poolSize: 1 }, definition));
    await dataSource.initialize();
    await dataSource.query('CREATE TABLE entries (id serial PRIMARY KEY, text text UNIQUE)');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await proxy.close();
    await service.close();
  });

  const insert = (connection: EntityManager, text: string): Promise<unknown> =>
    connection.query('INSERT INTO entries (text) VALUES ($1)', [text]);
  const roundTripsOf = async (work: (connection: EntityManager) => Promise<unknown>): Promise<number> => {
    const before = proxy.roundTrips;
    await dataSource.transaction(work);
    return proxy.roundTrips - before;
  };

  it('sends BEGIN and all pipelined statements in one round trip', async () => {
    const alone = await roundTripsOf((connection) => insert(connection, 'alone'));
    const together = await roundTripsOf((connection) =>
      pipelined(['a', 'b', 'c', 'd', 'e'].map((text) => insert(connection, text))),
    );
    expect(alone).toBe(2);
    expect(together).toBe(2);
  });

  it('runs pipelined statements in the order in which they were started', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `in order ${index}`);
    await dataSource.transaction((connection) => pipelined(texts.map((text) => insert(connection, text))));
    const rows = await dataSource.query<{ text: string }[]>(
      "SELECT text FROM entries WHERE text LIKE 'in order%' ORDER BY id",
    );
    expect(rows.map(({ text }) => text)).toEqual(texts);
  });

  it('rolls back all pipelined statements when one fails, and keeps the connection and its prepared statements usable', async () => {
    // uses unprepared statements: after a failure PostgreSQL does not parse the later ones
    const unread = (connection: EntityManager): Promise<unknown> =>
      connection.query('INSERT INTO entries (text) VALUES ($1) RETURNING text AS unread', ['unread']);
    const pid = async (): Promise<unknown> => dataSource.query('SELECT pg_backend_pid()');
    const before = await pid();
    await expect(
      dataSource.transaction(async (connection) => {
        await insert(connection, 'rolled back');
        await pipelined([
          insert(connection, 'alone'),
          unread(connection),
          unread(connection),
          insert(connection, 'behind'),
        ]);
      }),
    ).rejects.toMatchObject({ code: '23505' });
    expect(await pid()).toEqual(before);
    await unread(dataSource.manager);
    const rows = await dataSource.query(
      "SELECT text FROM entries WHERE text IN ('rolled back', 'behind', 'unread')",
    );
    expect(rows).toEqual([{ text: 'unread' }]);
    const kept: unknown[] = await dataSource.query(
      "SELECT 1 FROM pg_prepared_statements WHERE statement LIKE '%AS unread'",
    );
    expect(kept).toHaveLength(1);
  });

  it('acts after the commit on what is committed, not on what was rolled back', async () => {
    const acts: string[] = [];
    const note = async (connection: EntityManager, act: string): Promise<void> => {
      await insert(connection, act);
      whenCommitted(connection, () => acts.push(act));
    };
    await note(dataSource.manager, 'without a transaction');
    await dataSource.transaction(async (transaction) => {
      await note(transaction, 'before the savepoint');
      const undone = transaction.transaction(async (nested) => {
        await note(nested, 'undone');
        throw new Error('another way');
      });
      await expect(undone).rejects.toThrow('another way');
      await transaction.transaction((nested) => note(nested, 'after the savepoint'));
      expect(acts).toEqual(['without a transaction']);
    });
    const failed = dataSource.transaction(async (transaction) => {
      await note(transaction, 'rolled back at the end');
      throw new Error('too late');
    });
    await expect(failed).rejects.toThrow('too late');
    const rows = await dataSource.query<{ text: string }[]>(
      'SELECT text FROM entries WHERE text = ANY ($1) ORDER BY id',
      [
        [
          'without a transaction',
          'before the savepoint',
          'undone',
          'after the savepoint',
          'rolled back at the end',
        ],
      ],
    );
    expect(acts).toEqual(rows.map(({ text }) => text));
    expect(acts).toHaveLength(3);
  });

  it('does last what was left for the end, unless it was rolled back', async () => {
    const last = (connection: EntityManager, text: string): Promise<void> =>
      beforeCommit(connection, async () => void (await insert(connection, text)));
    await last(dataSource.manager, 'last: without a transaction');
    await dataSource.transaction(async (transaction) => {
      await last(transaction, 'last: of all');
      const undone = transaction.transaction(async (nested) => {
        await last(nested, 'last: undone');
        throw new Error('another way');
      });
      await expect(undone).rejects.toThrow('another way');
      await transaction.transaction((nested) => last(nested, 'last: nested'));
      await insert(transaction, 'last: before them');
    });
    const rolledBack = dataSource.transaction(async (transaction) => {
      await last(transaction, 'last: never');
      throw new Error('too late');
    });
    await expect(rolledBack).rejects.toThrow('too late');
    // a failure of the last work is one of the transaction
    await expect(
      dataSource.transaction(async (transaction) => {
        await last(transaction, 'last: of all');
        await insert(transaction, 'last: with a failure');
      }),
    ).rejects.toMatchObject({ code: '23505' });
    const rows = await dataSource.query<{ text: string }[]>(
      "SELECT text FROM entries WHERE text LIKE 'last:%' ORDER BY id",
    );
    expect(rows.map(({ text }) => text)).toEqual([
      'last: without a transaction',
      'last: before them',
      'last: of all',
      'last: nested',
    ]);
  });

  const add = (manager: EntityManager, text: string): Promise<unknown> =>
    manager.query('INSERT INTO entries (text) VALUES ($1)', [text]);
  const isKept = async (text: string): Promise<boolean> =>
    (await dataSource.query('SELECT 1 FROM entries WHERE text = $1', [text])).length === 1;

  it.each([
    { end: 'COMMIT', work: commit },
    { end: 'ROLLBACK', work: () => Promise.reject(new Error('rolled back')) },
  ])('refuses a statement after $end', async ({ end, work }) => {
    const text = `after ${end}`;
    let late: EntityManager | undefined;
    await dataSource
      .transaction(async (manager) => {
        late = manager;
        await add(manager, `before ${end}`);
        await work(manager);
        await expect(add(manager, text)).rejects.toThrow(/released/);
      })
      .catch((error: unknown) => expect(error).toEqual(new Error('rolled back')));
    await expect(add(late!, text)).rejects.toThrow(/released/);
    expect(await isKept(`before ${end}`)).toBe(end === 'COMMIT');
    expect(await isKept(text)).toBe(false);
  });

  it('reports a transaction with an ignored failure as rolled back', async () => {
    const work = dataSource.transaction(async (manager) => {
      await add(manager, 'before the failure');
      await add(manager, 'before the failure').catch(() => undefined);
    });
    await expect(work).rejects.toThrow('rolled back');
    expect(await isKept('before the failure')).toBe(false);
  });

  it('gives back a connection that comes after the transaction has failed', async () => {
    const failed = dataSource.transaction((manager) => {
      add(manager, 'too late').catch(() => undefined);
      return Promise.reject(new Error('failed meanwhile'));
    });
    await expect(failed).rejects.toThrow('failed meanwhile');
    // the pool has one connection
    await add(dataSource.manager, 'with the connection');
    expect(await isKept('too late')).toBe(false);
  });

  it('sends the statements of one turn outside of transactions together', async () => {
    const before = proxy.roundTrips;
    await Promise.all(['f', 'g', 'h'].map((text) => add(dataSource.manager, text)));
    expect(proxy.roundTrips - before).toBe(1);
  });
});

interface Kept {
  readonly statement: string;
  readonly uses: number;
}

describe('prepared statements of a PostgreSQL connection', () => {
  let service: TestService;
  beforeEach(async () => {
    // all statements share one connection
    service = await startService({ DATABASE_POOL_SIZE: '1' });
  });
  afterEach(() => service.close());

  const run = async (text: string, values?: unknown[]): Promise<unknown> =>
    service.database.query(text, values);
  const kept = async (): Promise<Kept[]> =>
    service.database.query(
      'SELECT statement, (generic_plans + custom_plans)::int AS uses FROM pg_prepared_statements',
    );
  const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('prepares each statement with values once and uses it for every call', async () => {
    for (let login = 0; login < 3; login++) await logIn(service);
    const uses = await kept();
    const inserted = uses.find(({ statement }) => /INSERT INTO onboarding\.users/i.test(statement));
    expect(inserted?.uses).toBeGreaterThanOrEqual(3);
    expect(uses.filter(({ statement }) => !statement.includes('$1'))).toEqual([]);
  });

  it('bounds the number of prepared statements, however many different texts it runs', async () => {
    for (let index = 0; index < 700; index++) await run(`SELECT $1::int + ${index}`, [1]);
    expect((await kept()).length).toBeLessThanOrEqual(500);
    expect(await run('SELECT $1::int + 699 AS sum', [1])).toEqual([{ sum: 700 }]);
  });

  it('prepares a statement again after a migration has changed its result', async () => {
    const read = () => run('SELECT value FROM onboarding.changing WHERE value = $1', [7]);
    await service.dataSource.query('CREATE TABLE onboarding.changing AS SELECT 7::int AS value');
    await service.dataSource.query(`GRANT SELECT ON onboarding.changing TO ${SERVICE_ROLE}`);
    await read();
    await service.dataSource.query('ALTER TABLE onboarding.changing ALTER value TYPE bigint');
    expect(isDatabaseUnavailable(await failureOf(read()))).toBe(true);
    expect(await read()).toEqual([{ value: '7' }]);
    expect((await kept()).map(({ statement }) => statement)).toContain(
      'SELECT value FROM onboarding.changing WHERE value = $1',
    );
  });

  it('prepares no more statements behind a pooler that shares the connection, and serves further calls', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const read = () => run('SELECT $1::int AS value', [7]);
    await read();
    // queued together for the only connection, so that no job of the service runs in between
    const [, failure] = await Promise.all([run('DEALLOCATE ALL'), failureOf(read())]);
    expect(isDatabaseUnavailable(failure)).toBe(true);
    for (let call = 0; call < 3; call++) expect(await read()).toEqual([{ value: 7 }]);
    expect((await service.api.post('/auth/register', { phone: aPhone() })).status).toBe(201);
    expect(await kept()).toEqual([]);
    expect(warn.mock.calls).toContainEqual([
      { msg: 'statements are not prepared: a pooler shares our connections' },
    ]);
    warn.mockRestore();
  });
});

/** Enough people that PostgreSQL scans a whole table only when no index helps. */
const PEOPLE = 2_000;

/** Fills the tables of the hot statements; `n` is a person, and md5 makes its unique values. */
const GROW = [
  `INSERT INTO onboarding.users (id, phone_index, phone_encrypted)
   SELECT md5('u' || n)::uuid, decode(md5('p' || n) || md5('q' || n), 'hex'), 'x' FROM people`,
  `INSERT INTO onboarding.sessions (id, user_id, partner_id, expires_at)
   SELECT md5('s' || n)::uuid, md5('u' || n)::uuid, (SELECT id FROM onboarding.partners LIMIT 1), now() + interval '1 day'
     FROM people`,
  `INSERT INTO onboarding.refresh_tokens (token_hash, session_id)
   SELECT decode(md5('p' || n) || md5('q' || n), 'hex'), md5('s' || n)::uuid FROM people`,
  `INSERT INTO onboarding.journey_steps (user_id, issuer_slug, step, state)
   SELECT md5('u' || n)::uuid, '', step, 'DONE' FROM people, unnest(ARRAY['LOGIN', 'HOME', 'EMAIL']) step`,
  `INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash, is_united)
   SELECT md5('c' || n)::uuid, md5('u' || n)::uuid, (SELECT id FROM onboarding.partners LIMIT 1), 'P', 'V', '', true
     FROM people`,
  `INSERT INTO onboarding.otp_counts (subject_index, last_at)
   SELECT decode(md5('p' || n) || md5('q' || n), 'hex'), now() FROM people`,
  `INSERT INTO onboarding.pan_lookups (id, user_id, started_at)
   SELECT md5('l' || n)::uuid, md5('u' || n)::uuid, now() FROM people`,
  `INSERT INTO onboarding.pan_checks (id, user_id, state, next_try_at, settled_at)
   SELECT md5('l' || n)::uuid, md5('u' || n)::uuid, 'VERIFIED', now(), now() FROM people`,
  `INSERT INTO onboarding.identities (user_id, verification_id, pan_index, pan_encrypted, dob_encrypted,
     names_encrypted, pan_status, aadhaar_seeding_status)
   SELECT md5('u' || n)::uuid, md5('v' || n)::uuid, decode(md5('p' || n) || md5('q' || n), 'hex'), 'x', 'x', 'x',
     'VALID', 'NA' FROM people`,
  `INSERT INTO onboarding.nominees (id, user_id, person_encrypted, nomination_type, share)
   SELECT md5('n' || n)::uuid, md5('u' || n)::uuid, 'x', 'SIMULTANEOUS', 10000 FROM people`,
  `INSERT INTO onboarding.ekyc_requests (id, user_id, issuer_slug, method, status, is_compared)
   SELECT md5('e' || n)::uuid, md5('u' || n)::uuid, 'utkarsh', 'HOSTED', 'VERIFIED', true FROM people`,
  `INSERT INTO onboarding.bank_accounts (id, user_id, account_index, account_encrypted, holder_encrypted,
     idempotency_key, next_try_at)
   SELECT md5('b' || n)::uuid, md5('u' || n)::uuid, decode(md5('p' || n) || md5('q' || n), 'hex'), 'x', 'x',
     md5('k' || n)::uuid, now() FROM people`,
];

const SCAN_OF_GROWN =
  /Seq Scan on (?:users|sessions|consents|identities|nominees|ekyc_requests|bank_accounts|journey_steps|otp_counts|refresh_tokens|pan_lookups|pan_checks)\b/;

describe('statements of journeys on a grown database', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({});
    // without foreign keys, whose checks would take half of the time
    await administer(
      service.environment['MIGRATIONS_DATABASE_URL']!,
      'SET session_replication_role = replica',
      `CREATE TABLE people AS SELECT generate_series(1, ${PEOPLE}) n`,
      ...GROW,
      'ANALYZE',
    );
  });
  afterAll(() => service.close());

  it('reads every table of people by an index in whole journeys, also in the background', async () => {
    const sent = noteStatements(service.app.get(DataSource));
    for (const issuer of ['kaveri', 'aravalli', 'sahyadri'] as const) {
      const customer = new JourneyClient(service.url, issuer, aPerson());
      await customer.all();
      await customer.bookingCheck();
    }
    jest.restoreAllMocks();
    const texts = [...new Set(sent.map(({ text }) => text))].filter((text) => text.includes('onboarding'));
    expect(texts.length).toBeGreaterThan(80);
    // PostgreSQL would scan a table with few rows as a whole
    for (const setting of ['enable_seqscan = on', 'enable_seqscan = off']) {
      const known = setting === 'enable_seqscan = off' ? /Seq Scan on (?!partners)/ : SCAN_OF_GROWN;
      const plans: string[][] = [];
      for (const text of texts) plans.push(await planOf(text, setting));
      expect(plans.every((plan) => plan.length > 1)).toBe(true);
      expect(plans.filter((plan) => plan.some((line) => known.test(line)))).toEqual([]);
    }
  });

  /** The generic plan that a connection keeps for all values. */
  const planOf = (text: string, setting: string): Promise<string[]> =>
    service.database.transaction(async (tx) => {
      const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place)));
      const values = Array.from({ length: count }, () => 'NULL').join(', ');
      await tx.query('SET LOCAL plan_cache_mode = force_generic_plan');
      await tx.query(`SET LOCAL ${setting}`);
      await tx.query(`PREPARE hot AS ${text}`);
      const lines = await tx.query<{ 'QUERY PLAN': string }[]>(
        `EXPLAIN EXECUTE hot${count > 0 ? `(${values})` : ''}`,
      );
      await tx.query('DEALLOCATE hot');
      return [text, ...lines.map((line) => line['QUERY PLAN'])];
    });
});

type AnyStatement = Statement<Record<string, never>, Record<string, never>>;

/** PostgreSQL's names of the types that a statement declares. */
const TYPES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  float8: 'double precision',
  int4: 'integer',
  'int8[]': 'bigint[]',
  timestamptz: 'timestamp with time zone',
};

const typeOf = (declared: string): string => {
  const type = declared.replace('?', '');
  return TYPES[type] ?? type;
};

/** What a statement declares otherwise than PostgreSQL understands it. */
function differences({ names, parameters, columns }: AnyStatement, shape: StatementShape): string[] {
  const given = names.map((name) => `${name} ${typeOf(parameters[name]!)}`);
  const understood = names.map((name, index) => `${name} ${shape.parameters[index]}`);
  const declared = Object.entries<string>(columns).map(([name, type]) => `${name} ${typeOf(type)}`);
  const answered = shape.columns.map(({ name, type }) => `${name} ${type}`);
  const unmarked = shape.columns.filter(
    ({ name, isNullable }) => isNullable && !(columns[name] as string | undefined)?.endsWith('?'),
  );
  return [
    ...given.filter((line) => !understood.includes(line)).map((line) => `- parameter ${line}`),
    ...understood.filter((line) => !given.includes(line)).map((line) => `+ parameter ${line}`),
    ...declared.filter((line) => !answered.includes(line)).map((line) => `- column ${line}`),
    ...answered.filter((line) => !declared.includes(line)).map((line) => `+ column ${line}`),
    ...unmarked.map(({ name }) => `column ${name} may be NULL`),
  ];
}

describe('hand-written statements', () => {
  let database: TestDatabase;
  const statements: Record<string, AnyStatement> = {};
  beforeAll(async () => {
    database = await createTestDatabase();
    await migrate(database.owner, ONBOARDING_DATABASE);
    const folder = join(import.meta.dirname, '../../src');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => name.endsWith('.queries.ts'))) {
      const module = (await import(join(folder, file))) as Record<string, unknown>;
      for (const [name, value] of Object.entries(module))
        if (value instanceof Statement) statements[name] = value;
    }
  });
  afterAll(() => database.drop());

  const differencesOf = async (...checked: AnyStatement[]): Promise<string[][]> => {
    const shapes = await shapesOf(
      database.url,
      checked.map(({ text }) => text),
    );
    return checked.map((one, index) => differences(one, shapes[index]!));
  };

  it('declare the types of the migrated schema', async () => {
    const names = Object.keys(statements);
    expect(names.length).toBeGreaterThan(20);
    const found = await differencesOf(...Object.values(statements));
    expect(Object.fromEntries(names.map((name, index) => [name, found[index]]))).toEqual(
      Object.fromEntries(names.map((name) => [name, []])),
    );
  });

  it('are found to declare other types', async () => {
    const wrong = statement(
      { id: 'text' },
      'SELECT blocked_at AS "blockedAt", phone_index AS phone FROM onboarding.users WHERE id = :id',
      { blockedAt: 'timestamptz', phone: 'text' },
    );
    expect(await differencesOf(wrong as unknown as AnyStatement)).toEqual([
      [
        '- parameter id text',
        '+ parameter id uuid',
        '- column phone text',
        '+ column phone bytea',
        'column blockedAt may be NULL',
      ],
    ]);
  });
});

/** Statements of the first call to each route, by issuer. */
const COMMON = {
  'GET /api/v1/personal-details/options': 2,
  'GET /api/v1/user-profile': 4,
  'GET /issuer-apis/{issuer}/v1/booking-check': 10,
  'POST /api/v1/email/send-otp': 6,
  'POST /api/v1/email/verify-otp': 8,
  'POST /api/v1/insights-tracking': 6,
  'POST /api/v1/pan-verification': 12,
  'POST /api/v1/user-nominee': 11,
  'POST /auth/api/v2/register/verify': 9,
  'POST /auth/register': 1,
  'POST /issuer-apis/{issuer}/v2/check-etb': 15,
  'POST /issuer-apis/{issuer}/v3/check-status': 27,
};

const JOURNEYS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  kaveri: {
    ...COMMON,
    'GET /issuer-apis/{issuer}/v1/document-locker/session/{id}': 29,
    // decides later, and is polled within the call
    'POST /api/v1/bank/sync-to-issuer': expect.any(Number),
    'POST /api/v1/personal-details': 16,
    'POST /issuer-apis/{issuer}/v1/document-locker/session': 42,
  },
  aravalli: { ...COMMON, 'POST /api/v1/bank/sync-to-issuer': 57, 'POST /api/v1/personal-details': 14 },
  sahyadri: {
    ...COMMON,
    'POST /api/v1/bank/sync-to-issuer': 57,
    'POST /api/v1/personal-details': 14,
    'POST /issuer-apis/{issuer}/v1/aadhaar-ekyc/send-otp': 27,
    'POST /issuer-apis/{issuer}/v1/aadhaar-ekyc/verify-otp': 21,
    'GET /issuer-apis/{issuer}/v1/booking-check': 11,
    'POST /issuer-apis/{issuer}/v1/kyc-context': 9,
    'POST /issuer-apis/{issuer}/v1/lead': 12,
  },
};

describe('the calls', () => {
  let service: TestService;
  let replica: UsersApp;
  let proxy: TcpProxy;
  beforeAll(async () => {
    service = await startService({});
    proxy = await TcpProxy.before(service.environment['DATABASE_URL']!);
    replica = await service.replica({ DATABASE_URL: proxy.url });
    // nothing but the calls talks to PostgreSQL, and no worker settles what a call is to settle
    for (const { app } of [service, replica]) await app.get(Jobs).beforeApplicationShutdown();
    const { driver } = replica.app.get(DataSource);
    // a new connection would add round trips
    (
      driver as unknown as { master: { options: { idleTimeoutMillis: number } } }
    ).master.options.idleTimeoutMillis = 0;
    // those that are open get no timer any more
    await inParallel(5, () => replica.database.transaction((tx) => tx.query('SELECT pg_sleep(0.1)')));
  });
  // else a call would ask for it after some time
  beforeEach(() => replica.app.get(PartnerEvents).refresh());
  afterAll(async () => {
    jest.restoreAllMocks();
    await service.close();
    await proxy.close();
  });

  it('send as few statements to PostgreSQL, in as few round trips, as before', async () => {
    const sent = noteStatements(replica.app.get(DataSource));
    const counts: Record<string, { statements: number; roundTrips: number }> = {};
    const count = async (name: string, call: () => Promise<Response>): Promise<Response> => {
      const before = { statements: sent.length, roundTrips: proxy.roundTrips };
      const response = await call();
      expect([name, response.body]).toMatchObject([name, { success: 1 }]);
      counts[name] = {
        statements: sent.length - before.statements,
        roundTrips: proxy.roundTrips - before.roundTrips,
      };
      return response;
    };
    const phone = aPhone();
    const verify = async (): Promise<Response> =>
      replica.api.post('/auth/api/v2/register/verify', verifyBody(phone, await codeOf(phone)));

    await count('register', () => replica.api.post('/auth/register', { phone }));
    const { body } = await count('verify: a new user', verify);
    const api = as(replica.api, body.payload as { access_token: string });
    await count('profile: first', () => api.get('/api/v1/user-profile'));
    await count('profile', () => api.get('/api/v1/user-profile'));
    await count('PAN', () => postPan(api, panBody()));
    await replica.api.post('/auth/register', { phone });
    await count('verify', verify);

    // without BEGIN and COMMIT; each call of a session also reads the session
    expect(counts).toEqual({
      register: { statements: 1, roundTrips: 1 },
      'verify: a new user': { statements: 9, roundTrips: 2 },
      'profile: first': { statements: 4, roundTrips: 4 },
      profile: { statements: 2, roundTrips: 2 },
      PAN: { statements: 12, roundTrips: 5 },
      verify: { statements: 9, roundTrips: 3 },
    });
  });

  it.each(['kaveri', 'aravalli', 'sahyadri'] as const)(
    'send as few statements to PostgreSQL as before in a journey with %s',
    async (issuer) => {
      const sent = noteStatements(replica.app.get(DataSource));
      const customer = new CountedCalls(replica.url, issuer, aPerson());
      await customer.all();
      await customer.bookingCheck();
      const counts = Object.entries(customer.firstCalls).map(([call, id]) => [
        call,
        sent.filter(({ requestId }) => requestId === id).length,
      ]);
      expect(Object.fromEntries(counts)).toEqual(JOURNEYS[issuer]);
    },
  );

  it('write the events of a new user in one statement, which travels with the others', async () => {
    await listen(service, { replicas: [replica] });
    const phone = aPhone();
    await replica.api.post('/auth/register', { phone });
    const body = verifyBody(phone, await codeOf(phone));
    const sent = noteStatements(replica.app.get(DataSource));
    const { roundTrips } = proxy;
    expect((await replica.api.post('/auth/api/v2/register/verify', body)).body.success).toBe(1);
    expect([sent.length, proxy.roundTrips - roundTrips]).toEqual([10, 2]);
  });

  it('lock what depends on events of a partner that does not listen after everything else', async () => {
    const url = 'https://deaf.partner.example';
    await aPartner(service.dataSource, { url });
    await listen(service, { replicas: [replica] });
    const api = as(replica.api, await logIn(replica, aPhone(), url));
    // whose state may then depend on events
    await api.post(issuerPath('aravalli', 'v3/check-status'), {});
    const sent = noteStatements(replica.app.get(DataSource));
    expect((await postNominee(api)).body.success).toBe(1);
    const isLast = sent.map(({ text }) => text.includes('application_readiness'));
    expect(isLast.at(-1)).toBe(true);
    expect(isLast.slice(isLast.indexOf(true))).not.toContain(false);
  });
});

/** Notes the request id of the first call to each route. */
class CountedCalls extends JourneyClient {
  readonly firstCalls: Record<string, string> = {};

  override async call(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const answer = await super.call(method, path, body);
    const route = path
      .replace(/\?.*/, '')
      .replace(/[0-9a-f-]{36}/, '{id}')
      .replace(this.issuer, '{issuer}');
    this.firstCalls[`${method} ${route}`] ??= answer.headers.get('x-request-id')!;
    return answer;
  }
}

/** Parallel runs of each of two use cases; each takes locks of one user in the order of docs/lock-order.md. */
const ROUNDS = 5;

const NAMES = [
  'an account is given again',
  'the PAN is released and another one kept',
  'a worker compares holders',
  'a worker registers and withdraws accounts',
  'an operator compares names again',
  'the client asks for the eKYC',
  'a worker numbers and delivers events, and looks at applications',
  'an operator resumes and repeats events',
] as const;

const PAIRS = NAMES.flatMap((one, index) => NAMES.slice(index).map((other) => [one, other] as const));

describe('locks of a user', () => {
  let service: TestService;
  let receiver: EventReceiver;
  let actions: Readonly<Record<(typeof NAMES)[number], () => Promise<unknown>>>;
  beforeAll(async () => {
    service = await startService({ EVENTS_TO_LOCAL_ADDRESSES: 'true' });
    receiver = await EventReceiver.start();
    // a failed delivery changes the other events of the user, too
    let answers = 0;
    receiver.behaviour = (response) => response.writeHead(answers++ % 2 === 0 ? 204 : 503).end();
    const { url } = service.partner;
    await listen(service, { address: receiver.url });
    const { app } = service;
    // only the pairs take locks
    await app.get(Jobs).beforeApplicationShutdown();
    const user = await logIn(service);
    const api = as(service.api, user);
    const { user_id: userId } = user;
    await knownAs(service, userId, HOLDER);
    const account = bankBody({ issuer_code: 'ARAVFIN' });
    const answered = async (answer: Promise<{ status: number; body: unknown }>): Promise<void> => {
      const { status, body } = await answer;
      // a release ends the request for eKYC
      if (status >= 500 && !JSON.stringify(body).includes(EkycErrors.unavailable.code))
        throw new Error(`${status}: ${JSON.stringify(body)}`);
    };
    const calls = app.get(DurableCalls);
    actions = {
      'an account is given again': () => answered(postBank(api, account)),
      'the PAN is released and another one kept': async () => {
        await runPan(service, '', 'release', '--user', userId, ...WHO).catch(refusedOnly);
        await knownAs(service, userId, HOLDER);
      },
      'a worker compares holders': () => app.get(AccountVerification).recheckHolderNames(),
      'a worker registers and withdraws accounts': async () => {
        await app.get(BeneficiaryWithdrawal).withdrawWithoutPan();
        await calls.advanceDue(app.get(BeneficiaryWithdrawal));
        await calls.advanceDue(app.get(BeneficiaryRegistration));
      },
      'an operator compares names again': () => runBank(service, 'recheck', ...WHO),
      'the client asks for the eKYC': () => answered(api.post(issuerPath('aravalli', 'v3/check-status'), {})),
      'a worker numbers and delivers events, and looks at applications': async () => {
        await app.get(EventLog).numberNew();
        await calls.advanceDue(app.get(EventDeliveries));
        await app.get(ReadyApplications).lookAtChanged();
      },
      'an operator resumes and repeats events': async () => {
        await runEvents(service, 'resume', '--url', url);
        await runEvents(service, 'replay', '--url', url, '--since', '2026-01-01T00:00:00Z');
      },
    };
    await actions['an account is given again']();
  });
  afterAll(async () => {
    await service.close();
    await receiver.stop();
  });

  it.each(PAIRS)('are never taken in opposite orders while %s and %s', async (one, other) => {
    for (let round = 0; round < ROUNDS; round++)
      await Promise.all([one, other, one, other].map((name) => actions[name]().catch(busyOnly)));
    expect(service.logs()).not.toContain('deadlock');
  });
});

/** A busy machine may meet the limit of a lock's wait. A deadlock is thrown, or logged by the error filter. */
function busyOnly(error: unknown): void {
  const isBusy = /lock timeout/.test(String(error)) || /^Error: 503: .*SVC/.test(String(error));
  if (!isBusy) throw error;
}

/** The PAN may be released already. */
function refusedOnly(error: unknown): void {
  if (!String(error).includes('has no PAN')) throw error;
}
