import { administer, recordEvidence } from '@fd/testing';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { logIn } from '../support/login.js';
import { startService, type TestService } from '../support/users-app.js';

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
          ${over('1 hour')} + interval '1 minute' FROM ${people}`,
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
    const { database } = service;
    const [execute, query] = [database.execute.bind(database), database.query.bind(database)];
    const note = (text: string, values: readonly unknown[] = [], deleted: number): void => {
      // skips the leases that workers take meanwhile
      if (/\b(DELETE FROM|UPDATE) onboarding/.test(text) && !text.includes('lease_id'))
        purges.push({ text, values, deleted });
    };
    jest.spyOn(database, 'execute').mockImplementation(async (text, values) => {
      const count = await execute(text, values);
      note(text, values, count);
      return count;
    });
    jest.spyOn(database, 'query').mockImplementation(async (text: string, values?: readonly unknown[]) => {
      const rows = await query<never>(text, values);
      note(text, values, (rows as { count?: number }[])[0]?.count ?? 0);
      return rows;
    });
    try {
      await service.app.get(Jobs).runCleanup();
    } finally {
      jest.restoreAllMocks();
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
      const purge = purges.find(({ text }) => text.includes(`DELETE FROM onboarding.${table}`))!;
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
