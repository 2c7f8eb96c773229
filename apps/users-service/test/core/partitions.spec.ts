import { randomUUID } from 'node:crypto';
import { administer, eventually, inParallel } from '@fd/testing';
import type { DataSource } from 'typeorm';
import { EVENTS_KEPT_DAYS } from '../../src/core/database/partitioned-tables.js';
import { as, logIn } from '../support/login.js';
import {
  maintenance,
  partitionsOf,
  pastPartition,
  runMaintenance,
  startWithPastInsights,
} from '../support/partitions.js';
import type { TestService } from '../support/users-app.js';

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
    VALUES ($1, $2, 'PAN_SUBMITTED', now(), now() + make_interval(days => $3), '{}') ON CONFLICT DO NOTHING`;

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
    expect(await service.database.execute(INSERT, [user.user_id, eventId, 40])).toBe(1);
    const repeated = await as(service.api, user).post(PATH, {
      event_id: eventId,
      event_name: 'PAN_SUBMITTED',
    });
    expect(repeated.body).toMatchObject({ payload: { accepted: 0, duplicates: 1 } });
    for (let round = 0; round < 10; round++) {
      const id = randomUUID();
      const kept = await inParallel(6, (index) =>
        service.database.execute(INSERT, [user.user_id, id, (index % 2) * 40]),
      );
      expect(kept.reduce((sum, count) => sum + count)).toBe(1);
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
    await service.database.execute(INSERT, [user.user_id, eventId, Math.round(days)]);
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
    await service.database.execute(INSERT, [user.user_id, randomUUID(), 4_000]);
    expect(await maintenance(service)).toMatchObject({ strays: ['insight_events_default'] });
  });
});
