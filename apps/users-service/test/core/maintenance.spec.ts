import { randomUUID } from 'node:crypto';
import { administer, eventually, inParallel, recordEvidence } from '@fd/testing';
import { EVENTS_KEPT_DAYS } from '../../src/core/database/partitioned-tables.js';
import { DataSource } from 'typeorm';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { as, logIn } from '../support/login.js';
import {
  maintenance,
  partitionsOf,
  pastPartition,
  runMaintenance,
  startWithPastInsights,
} from '../support/partitions.js';
import { noteStatements } from '../support/sent-statements.js';
import { startService, type TestService } from '../support/users-app.js';

const PATH = '/api/v1/insights-tracking';

/** Returns the partition of a row. */
const placeOf = async (
  source: DataSource,
  table: string,
  column: string,
  value: string,
): Promise<string[]> => {
  const rows = await source.query<{ place: string }[]>(
    `SELECT tableoid::regclass::text AS place FROM onboarding.${table} WHERE ${column} = $1`,
    [value],
  );
  return rows.map(({ place }) => place.replace('onboarding.', ''));
};

describe('partitions', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startWithPastInsights();
  });
  afterAll(() => service.close());

  const INSERT = `INSERT INTO onboarding.insight_events (user_id, event_id, event_name, occurred_at, received_at, properties)
    VALUES ($1, $2, 'PAN_SUBMITTED', now(), now() + make_interval(days => $3), '{}') ON CONFLICT DO NOTHING RETURNING 1`;

  it('finds partitions for the next two months, each with the keys and triggers of its table', async () => {
    const [{ months }] = await service.database.query<[{ months: string[] }]>(
      `SELECT array_agg(to_char((now() AT TIME ZONE 'UTC') + make_interval(months => n), 'YYYY_MM')) AS months
         FROM generate_series(0, 2) n`,
    );
    for (const table of ['audit_events', 'insight_events'])
      expect(await partitionsOf(service, table)).toEqual(
        [...months.map((month) => `${table}_${month}`), `${table}_default`].sort(),
      );
    await expect(service.dataSource.query(`TRUNCATE onboarding.audit_events_${months[0]!}`)).rejects.toThrow(
      'append-only',
    );
    expect(await maintenance(service)).toEqual({ made: [], dropped: [], strays: [], failures: [] });
    await eventually(async () => {
      const { text } = await service.api.get('/metrics');
      const [, seconds] = /^partitions_ahead_seconds (\d+)/m.exec(text) ?? [];
      expect(Number(seconds)).toBeGreaterThan(59 * 86_400);
    });
  });

  it('creates missing partitions again in the maintenance', async () => {
    const [, , last] = (await partitionsOf(service, 'insight_events')).sort();
    await service.dataSource.query(`DROP TABLE onboarding.${last!}`);
    expect((await maintenance(service)).made).toEqual([last]);
  });

  it('refuses the same event twice, even at the border of two partitions', async () => {
    const user = await logIn(service);
    const eventId = randomUUID();
    expect(await service.database.query(INSERT, [user.user_id, eventId, 40])).toHaveLength(1);
    const repeated = await as(service.api, user).post(PATH, {
      event_id: eventId,
      event_name: 'PAN_SUBMITTED',
    });
    expect(repeated.body).toMatchObject({ payload: { accepted: 0, duplicates: 1 } });
    for (let round = 0; round < 10; round++) {
      const id = randomUUID();
      const kept = await inParallel(6, (index) =>
        service.database.query<object[]>(INSERT, [user.user_id, id, (index % 2) * 40]),
      );
      expect(kept.flat()).toHaveLength(1);
    }
  });

  it('makes and drops partitions of the other tables when the default partition of one prevents it', async () => {
    const user = await logIn(service);
    const latest = async (table: string) => (await partitionsOf(service, table)).at(-2)!;
    const [events, trail] = [await latest('insight_events'), await latest('audit_events')];
    const old = await pastPartition(service, 'insight_events', EVENTS_KEPT_DAYS + 62);
    await service.dataSource.query(`DROP TABLE onboarding.${events}, onboarding.${trail}`);
    const eventId = randomUUID();
    const days = (Date.parse(`${events.slice(-7).replace('_', '-')}-15`) - Date.now()) / 86_400_000;
    await service.database.query(INSERT, [user.user_id, eventId, Math.round(days)]);
    expect(await maintenance(service)).toEqual({
      made: [trail],
      dropped: [old],
      strays: ['insight_events_default'],
      failures: [
        expect.stringMatching(
          /^insight_events: updated partition constraint for default partition.* would be violated by some row/,
        ),
      ],
    });
    await expect(runMaintenance(service)).rejects.toThrow(
      /^insight_events: .*\nno partition was there for the rows of insight_events_default\n/,
    );
    // as the runbook says
    await administer(
      service.environment['MIGRATIONS_DATABASE_URL']!,
      `BEGIN;
       SET LOCAL session_replication_role = replica;
       LOCK TABLE onboarding.insight_events_default;
       CREATE TABLE onboarding.strays AS SELECT * FROM onboarding.insight_events_default;
       TRUNCATE onboarding.insight_events_default;
       COMMIT`,
    );
    expect(await maintenance(service)).toEqual({ made: [events], dropped: [], strays: [], failures: [] });
    await administer(
      service.environment['MIGRATIONS_DATABASE_URL']!,
      `BEGIN;
       SET LOCAL session_replication_role = replica;
       INSERT INTO onboarding.insight_events SELECT * FROM onboarding.strays;
       DROP TABLE onboarding.strays;
       COMMIT`,
    );
    expect(await placeOf(service.dataSource, 'insight_events', 'event_id', eventId)).toEqual([events]);
  });

  it('reports rows without a partition in the maintenance', async () => {
    const user = await logIn(service);
    await service.database.query(INSERT, [user.user_id, randomUUID(), 4_000]);
    expect(await maintenance(service)).toMatchObject({ strays: ['insight_events_default'] });
  });
});

/**
 * Rows of each table, and how many of them are old; enough that PostgreSQL scans a whole table only without an index.
 */
const ROWS = 30_000;
const OLD = 3_000;
/** Tokens of one session refreshed at the limit for weeks. */
const TOKENS = 12_000;

/** Most rows that one statement may delete. */
const MOST_PURGED = 5_500;

/** SQL of a time that has expired when `n` is at most OLD. */
const over = (age: string): string =>
  `now() - CASE WHEN n <= ${OLD} THEN interval '${age}' ELSE interval '0' END`;
const people = `generate_series(1, ${ROWS}) n`;

/**
 * Fills the tables without partitions: they need unique look-ups across time, so a clean-up deletes their rows in
 * batches.
 */
const GROW = [
  `INSERT INTO onboarding.sessions (id, user_id, partner_id, expires_at)
   SELECT md5('s' || n)::uuid, (SELECT id FROM onboarding.users LIMIT 1), (SELECT id FROM onboarding.partners LIMIT 1),
          ${over('31 days')} + interval '1 hour' FROM ${people}`,
  `INSERT INTO onboarding.refresh_tokens (token_hash, session_id)
   SELECT decode(md5('t' || n) || md5('u' || n), 'hex'), md5('s' || n)::uuid FROM ${people}
   UNION ALL
   SELECT decode(md5('v' || n) || md5('w' || n), 'hex'), md5('s1')::uuid FROM generate_series(1, ${TOKENS}) n`,
  `INSERT INTO onboarding.idempotent_calls (id, call_index, fingerprint, expires_at)
   SELECT md5('i' || n)::uuid, decode(md5('i' || n) || md5('j' || n), 'hex'), decode(md5('f' || n) || md5('g' || n), 'hex'),
          ${over('2 days')} + interval '1 day' FROM ${people}`,
  `INSERT INTO onboarding.otp_counts (subject_index, last_at)
   SELECT decode(md5('o' || n) || md5('p' || n), 'hex'), ${over('25 hours')} FROM ${people}`,
];

interface Purge {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly deleted: number;
}

describe('clean-up of unpartitioned tables', () => {
  let service: TestService;
  const purges: Purge[] = [];

  beforeAll(async () => {
    service = await startService({});
    await logIn(service);
    // as the owner, whose statements have no time limit; without foreign keys, whose checks would take half of the time
    await administer(
      service.environment['MIGRATIONS_DATABASE_URL']!,
      'SET session_replication_role = replica',
      ...GROW,
      'ANALYZE',
    );
    const sent = noteStatements(service.app.get(DataSource));
    try {
      await service.app.get(Jobs).runCleanup();
    } finally {
      jest.restoreAllMocks();
    }
    for (const { text, values, records, affected } of sent) {
      const [first] = records as ({ count?: number } | undefined)[];
      // skips the leases that workers take meanwhile
      if (/\b(DELETE FROM|UPDATE) "?onboarding/.test(text) && !text.includes('lease_id'))
        purges.push({ text, values, deleted: first?.count ?? affected });
    }
  });
  afterAll(() => service.close());

  const planOf = async ({ text, values }: Purge, setting = ''): Promise<string> =>
    service.database.transaction(async (transaction) => {
      if (setting) await transaction.query(setting);
      const lines = await transaction.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN ${text}`, values);
      return lines.map((line) => line['QUERY PLAN']).join('\n');
    });

  it('deletes all expired rows of a large table in bounded batches', async () => {
    for (const [table, left] of [
      // includes the row of the login
      ['sessions', ROWS - OLD + 1],
      ['refresh_tokens', ROWS - OLD + 1],
      ['idempotent_calls', ROWS - OLD],
    ] as const) {
      const [{ count }] = await service.dataSource.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM onboarding.${table}`,
      );
      expect([table, count]).toEqual([table, left]);
    }
    const old = await service.dataSource.query<object[]>(
      "SELECT FROM onboarding.otp_counts WHERE last_at < now() - interval '24 hours'",
    );
    expect(old).toEqual([]);
    const largest = Math.max(...purges.map(({ deleted }) => deleted));
    expect(largest).toBeLessThanOrEqual(MOST_PURGED);
    expect(purges.filter(({ deleted }) => deleted > 0).length).toBeGreaterThan(10);
    for (const { text } of purges) expect(text).toMatch(/LIMIT/);
    recordEvidence('purges-bounded', {
      purges: new Set(purges.map(({ text }) => text)).size,
      'rows of a table': ROWS,
      'rows in the largest batch': largest,
    });
  });

  it.each(['ix_sessions__over_at', 'ix_idempotent_calls__expires_at', 'ix_otp_counts__last_at'])(
    'finds expired rows by %s',
    async (index) => {
      const table = /^ix_(\w+?)__/.exec(index)![1]!;
      const purge = purges.find(({ text }) =>
        text.replaceAll('"', '').includes(`DELETE FROM onboarding.${table}`),
      )!;
      expect(await planOf(purge)).toContain(`Index Scan using ${index} on ${table}`);
    },
  );

  it('finds an index for each statement of the clean-up', async () => {
    const statements = [...new Map(purges.map((purge) => [purge.text, purge])).values()];
    expect(statements.length).toBeGreaterThanOrEqual(12);
    // PostgreSQL would scan a table with few rows as a whole
    const plans = await Promise.all(
      statements.map((purge) => planOf(purge, 'SET LOCAL enable_seqscan = off')),
    );
    expect(plans.filter((plan) => plan.includes('Seq Scan'))).toEqual([]);
  });
});
