import { randomUUID } from 'node:crypto';
import type { ConsentsPayload, JourneyPayload, TrackInsightsPayload } from '@fd/contracts';
import { ConsentErrors, GeneralErrors, InsightErrors, SessionErrors } from '@fd/errors';
import { type ApiClient, expectRefusal, inParallel } from '@fd/testing';
import fc from 'fast-check';
import { EVENTS_KEPT_DAYS } from '../../src/core/database/partitioned-tables.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import {
  MAX_EVENTS_PER_DAY,
  MAX_PROPERTY_BYTES_PER_DAY,
} from '../../src/journey/insights/insights.repository.js';
import { UsersRepository } from '../../src/identity/index.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { maintenance, pastPartition } from '../support/partitions.js';
import { withoutTriggers } from '../support/past-rows.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const PATH = '/api/v1/insights-tracking';
const anEvent = (more: object = {}) => ({
  event_id: randomUUID(),
  event_name: 'PAN_SUBMITTED',
  step: 'PAN',
  occurred_at: new Date().toISOString(),
  properties: { amount: 50_000, payout_frequency: 'Monthly' },
  ...more,
});

describe('POST /api/v1/insights-tracking', () => {
  let user: LoggedIn;
  let api: ApiClient;
  beforeEach(async () => {
    user = await logIn(service);
    api = as(service.api, user);
  });

  const track = (body: object) => api.post(PATH, body);
  const countsOf = (response: { body: unknown }) => {
    const { accepted, duplicates } = (response.body as { payload: TrackInsightsPayload }).payload;
    return [accepted, duplicates];
  };
  const kept = () =>
    service.dataSource.query<Record<string, unknown>[]>(
      `SELECT event_id, event_name, step, issuer_slug, occurred_at, properties
         FROM onboarding.insight_events WHERE user_id = $1 ORDER BY occurred_at`,
      [user.user_id],
    );
  const statusOfDetail = async (slug: string) => {
    const response = await api.get(`/issuer-apis/${slug}/v1/journey`);
    const { steps } = (response.body as { payload: JourneyPayload }).payload;
    return steps.find(({ step }) => step === 'FD_DETAIL')?.status;
  };

  it('stores nothing while every consent is withdrawn, and goes on once one is given again', async () => {
    const { consents } = (await api.get('/api/v1/consents')).body.payload as ConsentsPayload;
    for (const { consent_id: id } of consents)
      expect((await api.post(`/api/v1/consents/${id}/withdraw`, {})).status).toBe(200);
    const event = anEvent({ event_name: 'FD_SELECTED', step: 'FD_DETAIL', issuer_code: 'ARAVFIN' });
    expectRefusal(await track(event), ConsentErrors.withdrawn);
    expectRefusal(await track({ events: [event] }), ConsentErrors.withdrawn);
    expect(await kept()).toEqual([]);
    expect(await statusOfDetail('aravalli')).toBe('DUE');
    const again = { purpose: 'TERMS_OF_USE', notice_version: consents[0]!.notice_version };
    expect((await api.post('/api/v1/consents', again)).status).toBe(200);
    expect(countsOf(await track(event))).toEqual([1, 0]);
    expect(await statusOfDetail('aravalli')).toBe('DONE');
  });

  it('stores an event as it was sent', async () => {
    const event = anEvent({ issuer_code: 'ARAVFIN' });
    const response = await track(event);
    expect({ status: response.status, body: response.body as object }).toEqual({
      status: 200,
      body: {
        success: 1,
        statusCode: 200,
        message: 'Events received',
        payload: { accepted: 1, duplicates: 0 },
      },
    });
    expect(await kept()).toEqual([
      {
        event_id: event.event_id,
        event_name: 'PAN_SUBMITTED',
        step: 'PAN',
        issuer_slug: 'aravalli',
        occurred_at: new Date(event.occurred_at),
        properties: event.properties,
      },
    ]);
  });

  it('stores 50 events of one call', async () => {
    expect(countsOf(await track({ events: Array.from({ length: 50 }, () => anEvent()) }))).toEqual([50, 0]);
    expect(await kept()).toHaveLength(50);
  });

  it('accepts an event id once: in later calls, within a batch, and in upper or lower case', async () => {
    const [first, second] = [anEvent(), anEvent()];
    expect(countsOf(await track(first))).toEqual([1, 0]);
    expect(countsOf(await track({ ...first, event_name: 'PAN_FAILED' }))).toEqual([0, 1]);
    const again = { ...second, event_id: second.event_id.toUpperCase() };
    expect(countsOf(await track({ events: [first, second, again] }))).toEqual([1, 2]);
    expect((await kept()).map((row) => row['event_name'])).toEqual(['PAN_SUBMITTED', 'PAN_SUBMITTED']);
  });

  it('accepts an event id that another user has sent', async () => {
    const event = anEvent();
    await track(event);
    const other = as(service.api, await logIn(service));
    expect(countsOf(await other.post(PATH, event))).toEqual([1, 0]);
  });

  it.each(['FD_SELECTED', 'FD_DETAIL_VIEWED'])(
    'completes the FD detail step of the issuer for the event %s',
    async (event_name) => {
      await track(anEvent({ event_name, issuer_code: 'VINBANK' }));
      expect(await statusOfDetail('vindhya')).toBe('DONE');
      expect(await statusOfDetail('kaveri')).toBe('DUE');
    },
  );

  it('leaves the FD detail step due for other events and for events without an issuer', async () => {
    await track({ events: [anEvent({ issuer_code: 'VINBANK' }), anEvent({ event_name: 'FD_SELECTED' })] });
    expect(await statusOfDetail('vindhya')).toBe('DUE');
  });

  it('records the issuer of the latest event as the last one of the user, and ignores repeats', async () => {
    const lastIssuer = () => service.app.get(UsersRepository).lastIssuerOf(user.user_id);
    const first = anEvent({ issuer_code: 'KAVSFB' });
    await track({ events: [first, anEvent({ issuer_code: 'NILHFC' }), anEvent()] });
    expect(await lastIssuer()).toBe('nilgiri');
    await track(first);
    expect(await lastIssuer()).toBe('nilgiri');
    // from before the phone had no network
    const occurred_at = new Date(Date.now() - 3_600_000).toISOString();
    await track({ events: [anEvent({ issuer_code: 'VINBANK', occurred_at })] });
    expect(await lastIssuer()).toBe('nilgiri');
  });

  it('refuses events without an access token', async () => {
    expectRefusal(await service.api.post(PATH, anEvent()), SessionErrors.tokenMissing);
  });

  it.each([
    ['an unknown event', { event_name: 'HACKED' }, GeneralErrors.fieldInvalid, 'event_name'],
    ['an event without id', { event_id: null }, GeneralErrors.fieldInvalid, 'event_id'],
    ['an unknown step', { step: 'MOON' }, GeneralErrors.fieldInvalid, 'step'],
    ['an unknown issuer', { issuer_code: 'NOBODY' }, GeneralErrors.fieldInvalid, 'issuer_code'],
    ['a malformed time', { occurred_at: 'now' }, GeneralErrors.fieldInvalid, 'occurred_at'],
    ['a nested property', { properties: { a: {} } }, GeneralErrors.fieldInvalid, 'properties.a'],
    [
      'a phone in a property',
      { properties: { note: '+91 98765 43210' } },
      InsightErrors.personalDataRefused,
      'properties.note',
    ],
    ['a PAN in a key', { properties: { ABCDE1234F: 1 } }, InsightErrors.personalDataRefused, 'properties'],
    [
      'a name in a property',
      { properties: { first_name: 'Asha' } },
      InsightErrors.personalDataRefused,
      'properties.first_name',
    ],
  ] as const)('refuses the whole batch for %s', async (_name, more, refusal, field) => {
    const response = await track({ events: [anEvent(), anEvent(), anEvent(), anEvent(more)] });
    expectRefusal(response, refusal);
    expect(response.body).toMatchObject({ error: [{ f_error_reason: `events.3.${field}` }] });
    expect(await kept()).toEqual([]);
    expectRefusal(await track(anEvent(more)), refusal);
  });

  it('refuses 51 events, an empty object and a list as the body', async () => {
    expectRefusal(
      await track({ events: Array.from({ length: 51 }, () => anEvent()) }),
      GeneralErrors.fieldInvalid,
    );
    expectRefusal(await api.raw('post', PATH, '[]', 'application/json'), GeneralErrors.requestUnreadable);
    expectRefusal(await track({}), GeneralErrors.fieldInvalid, GeneralErrors.fieldInvalid);
  });

  it('answers any JSON value in any field with 200 or 400', async () => {
    const fields = ['event_id', 'event_name', 'step', 'issuer_code', 'occurred_at', 'properties', 'events'];
    const value = fc.oneof(
      fc.constantFrom<unknown>('\u0000', '\ud800', null, 'PAN', 1e308, { a: '\ud800' }, { toString: 1 }),
      fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>,
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...fields), value), async (more) => {
        expect([200, 400]).toContain((await track(anEvent(more))).status);
      }),
      { numRuns: 60 },
    );
    expect(service.logs().match(/"level":"(error|fatal)"/g)).toBeNull();
  });

  it('rejects statements that change or delete stored events', async () => {
    await track(anEvent());
    const change = (sql: string) => service.dataSource.query(sql);
    await expect(change("UPDATE onboarding.insight_events SET event_name = 'X'")).rejects.toThrow(
      'append-only',
    );
    await expect(change('DELETE FROM onboarding.insight_events')).rejects.toThrow('append-only');
    await expect(change('TRUNCATE onboarding.insight_events')).rejects.toThrow('append-only');
  });

  it('accepts each event once when overlapping batches arrive at once on two replicas', async () => {
    const replica = await service.replica();
    const events = Array.from({ length: 30 }, () =>
      anEvent({ event_name: 'FD_SELECTED', issuer_code: 'KAVSFB' }),
    );
    const batches = Array.from({ length: 10 }, (_, i) =>
      i % 2 ? [...events].reverse() : events.slice(0, 20 + i),
    );
    const responses = await Promise.all(
      batches.map((batch, i) => as((i % 2 ? replica : service).api, user).post(PATH, { events: batch })),
    );
    const counts = responses.map(countsOf);
    expect(counts.reduce((sum, [accepted]) => sum + accepted!, 0)).toBe(30);
    expect(counts.map(([accepted, duplicates]) => accepted! + duplicates!)).toEqual(
      batches.map(({ length }) => length),
    );
    expect(await kept()).toHaveLength(30);
  });
});

const events = (count: number) => ({
  events: Array.from({ length: count }, () => ({ event_id: randomUUID(), event_name: 'PAN_SUBMITTED' })),
});

const sizeOf = (properties: object) => JSON.stringify(properties).length;

describe('limits of POST /api/v1/insights-tracking', () => {
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
