import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventDelivery, PartnerEventView } from '@fd/contracts';
import { type ApiClient, eventually } from '@fd/testing';
import request from 'supertest';
import { EVENTS_KEPT } from '../../src/partner/backend-client.service.js';
import { TRIES_CAPACITY } from '../../src/partner/event-receiver.service.js';
import { documentedClient, type Sandbox, startSandbox } from '../support/sandbox.js';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const KEY = 'fdb_live-key';
const folder = mkdtempSync(join(tmpdir(), 'fd-partner-'));
const file = join(folder, 'events.json');

interface Try {
  readonly event_id: string | null;
  readonly try_number: number;
  readonly signature_problem: string | null;
  readonly status: number | null;
  readonly waited_ms: number | null;
}

/** Id of the n-th event. */
const e = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const USER = '00000000-0000-7000-9000-000000000000';

const anEvent = (id: string): PartnerEventView => ({
  id,
  type: 'pan.verified',
  timestamp: new Date().toISOString(),
  data: { user_id: USER, issuer_code: null, step: 'PAN', status: 'DONE', reason_code: null, link: null },
});

/** What users-service has for the backend, and the calls that it got. */
const upstream = {
  events: [] as PartnerEventView[],
  states: new Map<string, EventDelivery['state']>(),
  calls: [] as string[],
  status: 200,
};

const deliveryOf = (id: string): EventDelivery => ({
  state: upstream.states.get(id) ?? 'DELIVERED',
  ...{ failures: 0, last_tried_at: null, last_answer: null, next_try_at: null },
});

/** Answers as users-service does. */
function answer({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url!, 'http://users-service');
  upstream.calls.push(`${method} ${url}`);
  const reply = (status: number, payload: object = {}): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ payload }));
  if (headers.authorization !== `Bearer ${KEY}`) return reply(401);
  if (upstream.status !== 200) return reply(upstream.status);
  const [, id, action] = /^\/partner\/v1\/events(?:\/([^/]+))?(?:\/(replay))?$/.exec(pathname)!;
  const event = upstream.events.find((one) => one.id === id);
  if (id !== undefined && !event) return reply(404);
  if (action) return reply(200, { is_replayed: upstream.states.get(id!) !== 'WAITING' });
  if (event) return reply(200, { event, delivery: deliveryOf(event.id) });
  const after = searchParams.get('after');
  const place = after === null ? 0 : upstream.events.findIndex((one) => one.id === after) + 1;
  if (after !== null && place === 0) return reply(400);
  const page = upstream.events.slice(place, place + 100);
  reply(200, { events: page, has_more: place + page.length < upstream.events.length });
}

const users = createServer(answer);
let sandbox: Sandbox;
let api: ApiClient;

beforeAll(async () => {
  users.listen(0, '127.0.0.1');
  await once(users, 'listening');
});
afterAll(() => {
  users.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  Object.assign(upstream, { events: [], states: new Map(), calls: [], status: 200 });
  const { port } = users.address() as AddressInfo;
  writeFileSync(file, JSON.stringify({ secret: SECRET, key: KEY }));
  sandbox = await startSandbox({
    settings: { PARTNER_EVENTS_FILE: file, USERS_BASE_URL: `http://127.0.0.1:${port}` },
  });
  api = documentedClient(sandbox);
});
afterEach(() => sandbox.app.close());

const bodyOf = (id: string): string => JSON.stringify(anEvent(id));

/** A delivery as users-service sends it. */
function deliver(id: string, { secret = SECRET, body = bodyOf(id) } = {}): request.Test {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const code = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return request(sandbox.baseUrl)
    .post('/partner/events')
    .set({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${code}` })
    .set('content-type', 'application/json')
    .send(body);
}

const seen = async (): Promise<{ is_subscribed: boolean; behaviour: string; tries: Try[] }> =>
  (await api.get('/api/partner-events/deliveries')).body;
const tell = (behaviour: string) => api.put('/api/partner-events/behaviour', { behaviour });
const read = async (): Promise<{ events: { event: PartnerEventView }[]; problem: string | null }> =>
  (await api.get('/api/partner-events')).body;
const idsOf = async (): Promise<string[]> => (await read()).events.map(({ event }) => event.id);

describe('the receiver of events', () => {
  it('accepts a signed delivery, and shows it as it came', async () => {
    await deliver(e(1), { body: `${bodyOf(e(1))} ` }).expect(204);
    expect(await seen()).toEqual({
      is_subscribed: true,
      behaviour: 'accept',
      tries: [
        {
          id: expect.any(String),
          received_at: expect.stringMatching(/\+05:30$/),
          event_id: e(1),
          try_number: 1,
          headers: expect.objectContaining({
            'webhook-id': e(1),
            'webhook-signature': expect.stringMatching(/^v1,/),
          }),
          body: expect.stringMatching(/^\{"id":"0{8}-.*\} $/),
          signature_problem: null,
          status: 204,
          waited_ms: null,
        },
      ],
    });
  });

  it.each([
    ['fail', 500],
    ['gone', 410],
    ['accept', 204],
  ])('answers as it is told: %s', async (behaviour, status) => {
    expect((await tell(behaviour)).status).toBe(204);
    await deliver(e(1)).expect(status);
    expect(await seen()).toMatchObject({ behaviour, tries: [{ status, signature_problem: null }] });
  });

  it('never answers while it hangs, and cuts what hangs when it is told otherwise', async () => {
    await tell('hang');
    const hanging = deliver(e(1)).then(
      () => 'answered',
      ({ code }: { code: string }) => code,
    );
    await eventually(async () =>
      expect((await seen()).tries).toMatchObject([{ status: null, waited_ms: null }]),
    );
    await tell('accept');
    expect(await hanging).toBe('ECONNRESET');
    await eventually(async () =>
      expect((await seen()).tries).toMatchObject([{ waited_ms: expect.any(Number) }]),
    );
    await deliver(e(1)).expect(204);
    expect((await seen()).tries.map(({ try_number: number, status }) => [number, status])).toEqual([
      [2, 204],
      [1, null],
    ]);
  });

  it('refuses what is not signed, whatever it is told', async () => {
    for (const behaviour of ['accept', 'hang']) {
      await tell(behaviour);
      await deliver(e(1), { secret: `whsec_${randomBytes(32).toString('base64')}` }).expect(400);
      await request(sandbox.baseUrl).post('/partner/events').send({}).expect(400);
    }
    expect((await seen()).tries.map(({ signature_problem: problem }) => problem?.slice(0, 12))).toEqual([
      'A header is ',
      'No signature',
      'A header is ',
      'No signature',
    ]);
  });

  it('knows no secret until its file is there', async () => {
    rmSync(file);
    await deliver(e(1)).expect(400);
    expect(await seen()).toMatchObject({
      is_subscribed: false,
      tries: [{ signature_problem: 'The sandbox has no secret to check it with.' }],
    });
    writeFileSync(file, JSON.stringify({ secret: SECRET, key: KEY }));
    await deliver(e(1)).expect(204);
  });

  it.each(['{', '{}', `{"secret":"${KEY}","key":"k"}`])(
    'shows no contents of a wrong file: %s',
    async (text) => {
      writeFileSync(file, text);
      await deliver(e(1)).expect(500);
      const log = sandbox.log.join('');
      expect(log).toContain('PARTNER_EVENTS_FILE: ');
      expect(log).not.toContain(KEY);
    },
  );

  it.each([{}, { behaviour: 'explode' }, { behaviour: 'constructor' }])('cannot be told %j', async (body) => {
    await request(sandbox.baseUrl).put('/api/partner-events/behaviour').send(body).expect(400);
    expect((await seen()).behaviour).toBe('accept');
  });

  it('keeps the newest tries, and logs nothing of them', async () => {
    for (let n = 0; n <= TRIES_CAPACITY; n++) await deliver(e(n)).expect(204);
    const { tries } = await seen();
    expect([tries.length, tries[0]!.event_id, tries.at(-1)!.event_id]).toEqual([
      TRIES_CAPACITY,
      e(TRIES_CAPACITY),
      e(1),
    ]);
    expect(sandbox.log.join('')).not.toMatch(/pan\.verified|-9000-|whsec_/);
  });
});

describe('the backend that reads its events', () => {
  it('shows the newest with their deliveries, and reads on after the last one', async () => {
    upstream.events = Array.from({ length: 230 }, (_, n) => anEvent(e(n)));
    const ids = await idsOf();
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([EVENTS_KEPT, e(229), e(230 - EVENTS_KEPT)]);
    expect(upstream.calls.slice(0, 3)).toEqual([
      'GET /partner/v1/events',
      `GET /partner/v1/events?after=${e(99)}`,
      `GET /partner/v1/events?after=${e(199)}`,
    ]);
    upstream.calls = [];
    upstream.events.push(anEvent(e(230)));
    expect((await read()).events[0]).toMatchObject({
      event: { id: e(230), type: 'pan.verified' },
      delivery: { state: 'DELIVERED' },
    });
    expect(upstream.calls).toEqual([
      `GET /partner/v1/events?after=${e(229)}`,
      `GET /partner/v1/events/${e(230)}`,
    ]);
  });

  it('asks again for a delivery that waits, and after a further try', async () => {
    upstream.events = [anEvent(e(1))];
    upstream.states.set(e(1), 'WAITING');
    const stateOf = async () =>
      (await read()).events.map((one) => (one as { delivery?: EventDelivery }).delivery?.state);
    expect(await stateOf()).toEqual(['WAITING']);
    upstream.states.set(e(1), 'DELIVERED');
    expect(await stateOf()).toEqual(['DELIVERED']);
    // an operator replays it
    upstream.states.set(e(1), 'WAITING');
    expect(await stateOf()).toEqual(['DELIVERED']);
    await deliver(e(1)).expect(204);
    expect(await stateOf()).toEqual(['WAITING']);
  });

  it('replays an event, unless its delivery is still tried', async () => {
    upstream.events = [anEvent(e(1)), anEvent(e(2))];
    upstream.states.set(e(2), 'WAITING');
    await read();
    const replay = async (id: string) => (await api.post(`/api/partner-events/${id}/replay`, {})).body;
    expect(await replay(e(1))).toEqual({ is_replayed: true, problem: null });
    expect(await replay(e(2))).toEqual({ is_replayed: false, problem: null });
    expect(await replay(e(3))).toEqual({ is_replayed: false, problem: 'users-service answers 404.' });
    upstream.states.set(e(1), 'WAITING');
    expect((await read()).events[1]).toMatchObject({ event: { id: e(1) }, delivery: { state: 'WAITING' } });
  });

  it('begins again with a last event that users-service no longer has', async () => {
    upstream.events = [anEvent(e(1))];
    expect(await idsOf()).toEqual([e(1)]);
    upstream.events = [anEvent(e(2))];
    expect(await idsOf()).toEqual([e(2)]);
  });

  it('drops an event that users-service no longer shows', async () => {
    upstream.events = [anEvent(e(1)), anEvent(e(2))];
    upstream.states.set(e(1), 'WAITING');
    expect(await idsOf()).toEqual([e(2), e(1)]);
    upstream.events.shift();
    expect(await idsOf()).toEqual([e(2)]);
  });

  it('says why it cannot read, without its key', async () => {
    upstream.status = 503;
    expect(await read()).toEqual({ events: [], problem: 'users-service answers 503.' });
    writeFileSync(file, JSON.stringify({ secret: SECRET, key: 'fdb_another' }));
    expect((await read()).problem).toBe('users-service answers 401.');
    rmSync(file);
    expect((await read()).problem).toBe('The sandbox has no key of the backend.');
    writeFileSync(file, JSON.stringify({ secret: SECRET, key: KEY }));
    users.closeAllConnections();
    const { port } = users.address() as AddressInfo;
    await once(users.close(), 'close');
    expect((await read()).problem).toBe('users-service does not answer.');
    users.listen(port, '127.0.0.1');
    await once(users, 'listening');
    expect(sandbox.log.join('')).not.toContain(KEY);
  });

  it('shares a round of calls between callers at the same time', async () => {
    upstream.events = [anEvent(e(1))];
    await Promise.all([read(), read(), read()]);
    expect(upstream.calls).toEqual(['GET /partner/v1/events', `GET /partner/v1/events/${e(1)}`]);
  });
});
