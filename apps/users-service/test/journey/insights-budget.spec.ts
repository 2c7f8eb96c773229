import { randomUUID } from 'node:crypto';
import type { TrackInsightsPayload } from '@fd/contracts';
import { GeneralErrors } from '@fd/errors';
import { expectRefusal, inParallel } from '@fd/testing';
import { EVENTS_KEPT_DAYS } from '../../src/core/database/partitioned-tables.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import {
  MAX_EVENTS_PER_DAY,
  MAX_PROPERTY_BYTES_PER_DAY,
} from '../../src/journey/insights/insights.repository.js';
import { as, logIn } from '../support/login.js';
import { maintenance, pastPartition } from '../support/partitions.js';
import { withoutTriggers } from '../support/past-rows.js';
import { startService, type TestService } from '../support/users-app.js';

const PATH = '/api/v1/insights-tracking';
const events = (count: number) => ({
  events: Array.from({ length: count }, () => ({ event_id: randomUUID(), event_name: 'PAN_SUBMITTED' })),
});

const sizeOf = (properties: object) => JSON.stringify(properties).length;

describe('limits of POST /api/v1/insights-tracking', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    service.dataSource.query<Row[]>(sql, parameters);

  async function aUser() {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  }
  const keptOf = async (userId: string) =>
    (
      await query<{ count: number }>(
        'SELECT count(*)::int AS count FROM onboarding.insight_events WHERE user_id = $1',
        [userId],
      )
    )[0]!.count;
  const countedOf = async (userId: string) =>
    (
      await query<{ events: number }>('SELECT events FROM onboarding.insight_days WHERE user_id = $1', [
        userId,
      ])
    )[0]?.events;
  /** Sets the events, and the bytes of their properties, that the user has left for the day. */
  const leave = (userId: string, count: number, bytes = MAX_PROPERTY_BYTES_PER_DAY) =>
    query(
      `INSERT INTO onboarding.insight_days (user_id, day, events, bytes)
       VALUES ($1, (now() AT TIME ZONE 'UTC')::date, $2, $3)
       ON CONFLICT (user_id, day) DO UPDATE SET events = $2, bytes = $3`,
      [userId, MAX_EVENTS_PER_DAY - count, MAX_PROPERTY_BYTES_PER_DAY - bytes],
    );

  describe('daily limit of insight events', () => {
    it('accepts exactly 20,000 events of a user in a day over replicas, then answers 429 with Retry-After', async () => {
      expect(MAX_EVENTS_PER_DAY).toBe(20_000);
      const user = await aUser();
      await leave(user.user_id, 100);
      const replica = as((await service.replica()).api, user);
      const responses = await inParallel(8, (i) => (i % 2 ? user.api : replica).post(PATH, events(20)));
      const refused = responses.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(3);
      for (const response of refused) {
        expectRefusal(response, GeneralErrors.tooManyRequests);
        const seconds = Number(response.headers['retry-after']);
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(86_400);
      }
      expect(await keptOf(user.user_id)).toBe(100);
      expectRefusal(await user.api.post(PATH, events(1)), GeneralErrors.tooManyRequests);
      expect((await (await aUser()).api.post(PATH, events(1))).status).toBe(200);
    });

    const [event] = events(1).events;
    const personal = { note: '98765 43210' };
    it.each<[string, left: { events?: number; bytes?: number }, body: object]>([
      ['one event', { events: 0 }, { ...events(1).events[0], properties: personal }],
      [
        'a list',
        { events: 2 },
        { events: events(3).events.map((event) => ({ ...event, properties: personal })) },
      ],
      [
        'an unreadable event',
        { events: 1 },
        { events: [...events(1).events, { event_id: { toString: 1 } }] },
      ],
      ['properties', { bytes: 20 }, { ...events(1).events[0], properties: personal }],
      [
        'properties of a repeated event whose last report has none',
        { bytes: 20 },
        { events: [{ ...event, properties: personal }, event] },
      ],
    ])('answers 429 for %s over the limit, without a search for personal data', async (_what, left, body) => {
      const { api, user_id } = await aUser();
      await leave(user_id, left.events ?? 10, left.bytes);
      expectRefusal(await api.post(PATH, body), GeneralErrors.tooManyRequests);
      await query('DELETE FROM onboarding.insight_days WHERE user_id = $1', [user_id]);
      expect((await api.post(PATH, body)).status).toBe(400);
    });

    it('accepts a batch that fits once its repeated events count once', async () => {
      const { api, user_id } = await aUser();
      await leave(user_id, 2);
      const [event, other] = events(2).events as [{ event_id: string }, object];
      const again = { ...event, event_id: event.event_id.toUpperCase() };
      expect((await api.post(PATH, { events: [event, other, again, event] })).status).toBe(200);
      expectRefusal(await api.post(PATH, events(1)), GeneralErrors.tooManyRequests);
    });

    const properties = { note: 'wordy '.repeat(80) };
    const searched = { ...event, properties };
    const unreadable = { event_id: 'x' };
    it.each<[string, first: number, left: { events?: number; bytes?: number }, body: object]>([
      ['with personal data', 400, { bytes: 2 * sizeOf(personal) }, { ...event, properties: personal }],
      [
        'with an unreadable event',
        400,
        { bytes: 2 * sizeOf(properties) + 4 },
        { events: [searched, unreadable] },
      ],
      ['without properties', 400, { events: 5 }, { events: [event, unreadable] }],
      ['with an event of a former call', 200, { bytes: 2 * sizeOf(properties) }, searched],
      ['with a repeated event', 200, { bytes: 2 * sizeOf(properties) + 4 }, { events: [searched, event] }],
    ])('answers 429 once two batches %s have used up the day', async (_what, first, left, body) => {
      const { api, user_id } = await aUser();
      await leave(user_id, left.events ?? 100, left.bytes);
      const statuses: number[] = [];
      for (let call = 0; call < 3; call++) statuses.push((await api.post(PATH, body)).status);
      expect(statuses).toEqual([first, first, 429]);
    });

    it('counts repeated events once, the events of a refused batch, and none of a list that is too long', async () => {
      const { api, user_id } = await aUser();
      const batch = events(10);
      const doubled = { events: [...batch.events, ...batch.events] };
      await api.post(PATH, doubled);
      const again = (await api.post(PATH, doubled)).body as { payload: TrackInsightsPayload };
      expect(again.payload).toEqual({ accepted: 0, duplicates: 20 });
      expect(await countedOf(user_id)).toBe(10);
      for (const refused of [{ events: [...events(2).events, null] }, events(51)])
        expectRefusal(await api.post(PATH, refused), GeneralErrors.fieldInvalid);
      expect(await countedOf(user_id)).toBe(12);
    });

    it('accepts 2 MB of properties of a user in a day over replicas, then answers 429 with Retry-After', async () => {
      const user = await aUser();
      const replica = as((await service.replica()).api, user);
      // the largest allowed event and call
      const properties = Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [`note_${i}`.padEnd(64, '_'), 'wordy '.repeat(83)]),
      );
      const size = sizeOf(properties);
      const batch = () => ({ events: events(5).events.map((event) => ({ ...event, properties })) });
      const calls = Array.from({ length: 40 }, (_, i) => i).values();
      const statuses: number[] = [];
      await inParallel(4, async (n) => {
        for (const _ of calls) {
          const response = await (n % 2 ? user.api : replica).post(PATH, batch());
          statuses.push(response.status);
          if (response.status !== 200) expectRefusal(response, GeneralErrors.tooManyRequests);
          if (response.status === 429) expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
        }
      });
      const accepted = Math.floor(MAX_PROPERTY_BYTES_PER_DAY / (5 * size));
      expect(statuses.filter((status) => status === 200)).toHaveLength(accepted);
      const [{ bytes }] = (await query<{ bytes: number }>(
        'SELECT sum(octet_length(properties::text))::int AS bytes FROM onboarding.insight_events WHERE user_id = $1',
        [user.user_id],
      )) as [{ bytes: number }];
      // PostgreSQL writes a space after each comma and colon
      expect(bytes).toBeLessThan(MAX_PROPERTY_BYTES_PER_DAY * 1.01);
      // events without properties are still accepted
      expect((await user.api.post(PATH, events(10))).status).toBe(200);
    });

    it('accepts events again on the next day', async () => {
      const { api, user_id } = await aUser();
      await leave(user_id, 0);
      expectRefusal(await api.post(PATH, events(1)), GeneralErrors.tooManyRequests);
      await query('UPDATE onboarding.insight_days SET day = day - 1 WHERE user_id = $1', [user_id]);
      expect((await api.post(PATH, events(1))).status).toBe(200);
    });
  });

  describe('retention of insight events', () => {
    /** Stores an event received that many days and hours ago. */
    const received = async (userId: string, days: number, hours: number) => {
      const id = randomUUID();
      await withoutTriggers(
        service,
        `INSERT INTO onboarding.insight_events (user_id, event_id, event_name, occurred_at, received_at, properties)
         SELECT $1, $2, 'PAN_SUBMITTED', at, at, '{}'
           FROM (SELECT now() - make_interval(days => $3, hours => $4) AS at) AS times`,
        [userId, id, days, hours],
      );
      return id;
    };
    const remove = (id: string) => query('DELETE FROM onboarding.insight_events WHERE event_id = $1', [id]);
    const idsOf = async (userId: string) =>
      (
        await query<{ event_id: string }>(
          'SELECT event_id FROM onboarding.insight_events WHERE user_id = $1',
          [userId],
        )
      ).map((row) => row.event_id);

    it('lets PostgreSQL delete events after 400 days, not before, and change none', async () => {
      const { user_id } = await aUser();
      const [old, young] = [
        await received(user_id, EVENTS_KEPT_DAYS, 1),
        await received(user_id, EVENTS_KEPT_DAYS - 1, 23),
      ];
      await expect(remove(young)).rejects.toThrow('append-only for 400 days');
      await expect(
        query("UPDATE onboarding.insight_events SET received_at = now() - interval '2 years'"),
      ).rejects.toThrow('append-only');
      await expect(query('TRUNCATE onboarding.insight_events')).rejects.toThrow('append-only');
      // one statement that would delete both deletes neither
      await expect(
        query('DELETE FROM onboarding.insight_events WHERE user_id = $1', [user_id]),
      ).rejects.toThrow('append-only');
      expect((await idsOf(user_id)).sort()).toEqual([old, young].sort());
      await remove(old);
      expect(await idsOf(user_id)).toEqual([young]);
    });

    it('drops events with their month after 400 days, in the maintenance', async () => {
      const { user_id } = await aUser();
      const young = await received(user_id, EVENTS_KEPT_DAYS - 1, 0);
      const month = await pastPartition(service, 'insight_events', EVENTS_KEPT_DAYS + 62);
      const old = await received(user_id, EVENTS_KEPT_DAYS + 62, 0);
      expect((await idsOf(user_id)).sort()).toEqual([old, young].sort());
      expect((await maintenance(service)).dropped).toEqual([month]);
      expect(await idsOf(user_id)).toEqual([young]);
      expect((await maintenance(service)).dropped).toEqual([]);
    });

    it('deletes the counts of past days in the clean-up', async () => {
      const { user_id } = await aUser();
      await query(
        `INSERT INTO onboarding.insight_days (user_id, day, events)
         SELECT $1, (now() AT TIME ZONE 'UTC')::date - days, 5 FROM generate_series(0, 4) AS days`,
        [user_id],
      );
      await service.app.get(Jobs).runCleanup();
      const days = await query<{ ago: number }>(
        `SELECT (now() AT TIME ZONE 'UTC')::date - day AS ago FROM onboarding.insight_days
          WHERE user_id = $1 ORDER BY 1`,
        [user_id],
      );
      expect(days.map(({ ago }) => ago)).toEqual([0, 1]);
    });
  });
});
