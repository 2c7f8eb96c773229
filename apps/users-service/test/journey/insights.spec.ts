import { randomUUID } from 'node:crypto';
import type { ConsentsPayload, JourneyPayload, TrackInsightsPayload } from '@fd/contracts';
import { ConsentErrors, GeneralErrors, InsightErrors, SessionErrors } from '@fd/errors';
import { type ApiClient, expectRefusal } from '@fd/testing';
import fc from 'fast-check';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { as, logIn, type LoggedIn } from '../support/login.js';
import { startService, type TestService } from '../support/users-app.js';

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
  let service: TestService;
  let user: LoggedIn;
  let api: ApiClient;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    user = await logIn(service);
    api = as(service.api, user);
  });
  afterAll(() => service.close());

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
    const lastIssuer = () => service.app.get(JourneyRepository).lastIssuer(user.user_id);
    const first = anEvent({ issuer_code: 'KAVSFB' });
    await track({ events: [first, anEvent({ issuer_code: 'NILHFC' }), anEvent()] });
    expect(await lastIssuer()).toBe('nilgiri');
    await track(first);
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
      { numRuns: 200 },
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
