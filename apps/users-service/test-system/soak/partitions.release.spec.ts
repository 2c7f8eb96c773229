import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { administer, recordEvidence } from '@fd/testing';
import { EVENTS_KEPT_DAYS } from '../../src/core/database/partitioned-tables.js';
import { as, logIn } from '../../test/support/login.js';
import { type OwnPostgres, throwawayPostgres } from '../../test/support/own-postgres.mjs';
import { maintenance, pastPartition } from '../../test/support/partitions.js';
import { purgedRows } from '../../test/support/soak.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const ROWS = purgedRows();
/** Rows per INSERT statement. */
const CHUNK = 2_500_000;
const CLIENTS = 4;

/** The statement limit of requests and of the commands that change partitions. */
const STATEMENT_LIMIT_MS = 1_000;

jest.setTimeout(3_600_000);

describe(`a purge of ${ROWS} events`, () => {
  let postgres: OwnPostgres;
  let service: TestService;
  beforeAll(async () => {
    postgres = await throwawayPostgres('the soak of partitions');
    await administer(postgres.url('postgres'), 'CREATE DATABASE onboarding');
    service = await startService({
      DATABASE_URL: postgres.url('onboarding'),
      RATE_LIMIT_PER_MINUTE: '1000000',
    });
  });
  afterAll(async () => {
    await service.close();
    await postgres.release();
  });

  const asAdministrator = (...statements: string[]) => administer(postgres.url('onboarding'), ...statements);

  /** Fills a partition on the server, without the triggers that check each row. */
  async function fill(partition: string, userId: string): Promise<void> {
    for (let first = 0; first < ROWS; first += CHUNK)
      await asAdministrator(
        'SET session_replication_role = replica',
        `INSERT INTO onboarding.${partition} (user_id, event_id, event_name, occurred_at, received_at, properties)
         SELECT '${userId}', ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'PAN_SUBMITTED', at, at, '{}'
           FROM generate_series(${first + 1}, ${Math.min(first + CHUNK, ROWS)}) n,
                (SELECT now() - interval '${EVENTS_KEPT_DAYS + 62} days' AS at) times`,
      );
    await asAdministrator(`ANALYZE onboarding.${partition}`);
  }

  it('drops the events within the statement limit while clients report new ones', async () => {
    const user = await logIn(service);
    const partition = await pastPartition(service, 'insight_events', EVENTS_KEPT_DAYS + 62);
    await fill(partition, user.user_id);
    const [size] = (await asAdministrator(
      `SELECT reltuples::float8 AS rows, pg_total_relation_size(oid)::float8 / 1e9 AS gigabytes
         FROM pg_class WHERE oid = 'onboarding.${partition}'::regclass`,
    )) as [{ rows: number; gigabytes: number }];
    expect(size.rows).toBeGreaterThan(ROWS * 0.95);

    let isOver = false;
    let [calls, slowestCallMs, slowestStatementMs] = [0, 0, 0];
    const people = await Promise.all(
      Array.from({ length: CLIENTS }, async () => as(service.api, await logIn(service))),
    );
    const client = async (api: (typeof people)[number]): Promise<void> => {
      while (!isOver) {
        const began = performance.now();
        const event = { event_id: randomUUID(), event_name: 'PAN_SUBMITTED' };
        expect((await api.post('/api/v1/insights-tracking', event)).status).toBe(200);
        slowestCallMs = Math.max(slowestCallMs, performance.now() - began);
        calls += 1;
      }
    };
    const watch = async (): Promise<void> => {
      while (!isOver) {
        const [{ ms }] = (await asAdministrator(
          `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start)), 0)::float8 * 1000 AS ms
             FROM pg_stat_activity WHERE state = 'active' AND application_name LIKE 'fd-%'
              -- the COMMIT removes the files of dropped partitions after all locks are released
              AND NOT (application_name = 'fd-onboarding-command' AND query = 'COMMIT')`,
        )) as [{ ms: number }];
        slowestStatementMs = Math.max(slowestStatementMs, ms);
        await sleep(20);
      }
    };
    const others = Promise.all([...people.map(client), watch()]);
    await sleep(2_000);
    const began = performance.now();
    const { dropped } = await maintenance(service).finally(
      () => void setTimeout(() => (isOver = true), 2_000),
    );
    const tookMs = performance.now() - began;
    await others;

    expect(dropped).toEqual([partition]);
    expect(slowestStatementMs).toBeLessThan(STATEMENT_LIMIT_MS);
    expect(slowestCallMs).toBeLessThan(2 * STATEMENT_LIMIT_MS);
    recordEvidence('purge-by-partitions', {
      'rows dropped': size.rows,
      gigabytes: Number(size.gigabytes.toFixed(1)),
      'ms for all of the maintenance': Math.round(tookMs),
      'slowest statement in ms': Math.round(slowestStatementMs),
      'calls meanwhile': calls,
      'slowest call in ms': Math.round(slowestCallMs),
    });
  });
});
