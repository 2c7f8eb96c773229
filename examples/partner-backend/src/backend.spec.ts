import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PartnerEvent } from '@fd/client/server';
import { createBackend } from './backend.js';

const KEY = 'key-of-the-backend';
const aSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const SECRET = aSecret();

const anEvent = (type = 'bank.registered'): PartnerEvent => ({
  id: randomUUID(),
  type,
  timestamp: new Date().toISOString(),
  data: {
    user_id: randomUUID(),
    issuer_code: 'ARAVFIN',
    step: 'BANK',
    status: 'DONE',
    reason_code: null,
    link: '/issuer-apis/aravalli/v1/journey',
  },
});

/** Headers of a delivery of BODY at this moment, LATE seconds ago. */
function headersOf(id: string, body: string, { secret = SECRET, late = 0 } = {}): Record<string, string> {
  const seconds = String(Math.floor(Date.now() / 1_000) - late);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

describe('the backend', () => {
  const servers: Server[] = [];
  let folder: string;
  /** Events that the service keeps; it answers two at a time. */
  let kept: PartnerEvent[];
  let pulls: string[];
  let usersUrl: string;
  let printed: jest.SpiedFunction<typeof console.error>;

  async function listen(server: Server): Promise<string> {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return urlOf(server);
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fd-backend-'));
    [kept, pulls] = [[], []];
    printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const service = createServer(({ url, headers }, response) => {
      pulls.push(url!);
      const { pathname, searchParams } = new URL(url!, 'http://service');
      const isCall = pathname === '/partner/v1/events' && searchParams.get('limit') === '100';
      const refuse = (status: number, errorCode: string) =>
        response.writeHead(status).end(JSON.stringify({ success: 0, payload: {}, error: [{ errorCode }] }));
      if (!isCall || headers.authorization !== `Bearer ${KEY}`) return refuse(401, 'SVCUSER2921');
      const after = searchParams.get('after');
      const begin = kept.findIndex(({ id }) => id === after) + 1;
      if (after !== null && begin === 0) return refuse(400, 'SVCUSER2922');
      const events = kept.slice(begin, begin + 2);
      const payload = { events, has_more: begin + 2 < kept.length };
      return response.end(JSON.stringify({ success: 1, statusCode: 200, message: 'SUCCESS', payload }));
    });
    usersUrl = await listen(service);
  });
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
    rmSync(folder, { recursive: true });
    printed.mockRestore();
  });

  /** Starts a backend, which goes on with the file of the former one. WORK may fail or hang. */
  async function start(work: (event: PartnerEvent) => Promise<void> = () => Promise.resolve(), key = KEY) {
    const done: PartnerEvent[] = [];
    const settings = {
      EVENT_SECRETS: `${aSecret()} ${SECRET}`,
      USERS_URL: usersUrl,
      EVENTS_KEY: key,
      DONE_FILE: join(folder, 'done.log'),
    };
    const { server, catchUp } = createBackend(settings, async (event) => {
      await work(event);
      done.push(event);
    });
    const url = `${await listen(server)}/events`;
    const post = (body: string, headers: Record<string, string>) =>
      fetch(url, { method: 'POST', body, headers }).then(({ status }) => status);
    const deliver = (event: PartnerEvent) => {
      const body = JSON.stringify(event);
      return post(body, headersOf(event.id, body));
    };
    return { url, done, post, deliver, catchUp };
  }

  it('does the work of genuine events of any type before it answers 204', async () => {
    const { deliver, done } = await start(() => sleep(20));
    const events = [anEvent(), anEvent('deposit.booked')];
    for (const [index, event] of events.entries()) {
      expect(await deliver(event)).toBe(204);
      expect(done).toEqual(events.slice(0, index + 1));
    }
  });

  it('does the work of a repeated event once, in parallel and after a restart', async () => {
    const [event, later] = [anEvent(), anEvent()];
    const first = await start(() => sleep(20));
    const repeats = Array.from({ length: 5 }, () => first.deliver(event));
    expect(await Promise.all(repeats)).toEqual([204, 204, 204, 204, 204]);
    expect(await first.deliver(event)).toBe(204);
    expect(first.done).toEqual([event]);
    const second = await start();
    expect([await second.deliver(event), await second.deliver(later)]).toEqual([204, 204]);
    expect(second.done).toEqual([later]);
  });

  it('works on one event at a time', async () => {
    let running = 0;
    const most: number[] = [];
    const { deliver, done } = await start(async () => {
      most.push(++running);
      await sleep(20);
      running--;
    });
    const events = [anEvent(), anEvent(), anEvent()];
    expect(await Promise.all(events.map(deliver))).toEqual([204, 204, 204]);
    expect(done).toHaveLength(3);
    expect(most).toEqual([1, 1, 1]);
  });

  it('refuses forged, late, altered and oversized deliveries, and other paths', async () => {
    const { url, post, done, deliver } = await start();
    const event = anEvent();
    const body = JSON.stringify(event);
    const genuine = headersOf(event.id, body);
    expect(await post(body, headersOf(event.id, body, { secret: aSecret() }))).toBe(400);
    expect(await post(body, headersOf(event.id, body, { late: 400 }))).toBe(400);
    expect(await post(body.replace('DONE', 'FAILED'), genuine)).toBe(400);
    expect(await post(body, { ...genuine, 'webhook-id': randomUUID() })).toBe(400);
    expect(await post(body, {})).toBe(400);
    expect(printed).toHaveBeenCalledTimes(5);
    const padded = (bytes: number) => body + ' '.repeat(bytes - body.length);
    expect(await post(padded(65_537), headersOf(event.id, padded(65_537)))).toBe(413);
    expect((await fetch(url)).status).toBe(404);
    expect((await fetch(`${url}/more`, { method: 'POST', body, headers: genuine })).status).toBe(404);
    expect(done).toEqual([]);
    expect(await post(padded(65_536), headersOf(event.id, padded(65_536)))).toBe(204);
    expect(await deliver(event)).toBe(204);
    expect(done).toEqual([event]);
  });

  it('answers 413 at once to a body that does not tell its length', async () => {
    const { url } = await start();
    const endless = request(url, { method: 'POST' });
    endless.write('x');
    const [answer] = (await once(endless, 'response')) as [{ statusCode: number }];
    endless.destroy();
    expect(answer.statusCode).toBe(413);
  });

  it('answers 500 when the work fails, and does it with the next delivery', async () => {
    let isAway = true;
    const { deliver, done } = await start(async ({ type }) => {
      if (isAway && type === 'bank.refused') throw new Error('the database is away');
      await Promise.resolve();
    });
    const [failing, other] = [anEvent('bank.refused'), anEvent()];
    expect([await deliver(failing), await deliver(other)]).toEqual([500, 204]);
    expect(printed).toHaveBeenCalledWith('refused a delivery: Error: the database is away');
    expect(done).toEqual([other]);
    isAway = false;
    expect([await deliver(failing), await deliver(failing)]).toEqual([204, 204]);
    expect(done).toEqual([other, failing]);
  });

  it('repeats the work that a crash has interrupted, and no other', async () => {
    const [finished, interrupted, later] = [anEvent('bank.verified'), anEvent(), anEvent()];
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const crashed = await start(async ({ type }) => {
      if (type === 'bank.verified') return;
      begin();
      await new Promise(() => undefined);
    });
    expect(await crashed.deliver(finished)).toBe(204);
    void crashed.deliver(interrupted).catch(() => undefined);
    await begun;
    appendFileSync(join(folder, 'done.log'), `\n${interrupted.id.slice(0, 20)}`);
    const events = [finished, interrupted, later];
    const restarted = await start();
    for (const event of events) expect(await restarted.deliver(event)).toBe(204);
    expect(restarted.done).toEqual([interrupted, later]);
    const again = await start();
    for (const event of events) expect(await again.deliver(event)).toBe(204);
    expect(again.done).toEqual([]);
  });

  it('fetches in order what it missed, and only what is new the next time', async () => {
    const { deliver, done, catchUp } = await start();
    kept = [anEvent(), anEvent(), anEvent(), anEvent(), anEvent()];
    // later than those that still wait
    expect(await deliver(kept[3]!)).toBe(204);
    await catchUp();
    expect(done).toEqual([kept[3]!, kept[0]!, kept[1]!, kept[2]!, kept[4]!]);
    expect(pulls).toHaveLength(3);
    const fetched = kept;
    kept = [...fetched, anEvent()];
    const restarted = await start();
    await restarted.catchUp();
    await restarted.catchUp();
    const after = (event: PartnerEvent) => `/partner/v1/events?limit=100&after=${event.id}`;
    expect(pulls.slice(3)).toEqual([after(fetched[4]!), after(kept[5]!)]);
    expect(restarted.done).toEqual([kept[5]]);
    // the ids of fetched events are stored as those of delivered ones
    for (const event of kept) expect(await restarted.deliver(event)).toBe(204);
    expect(restarted.done).toHaveLength(1);
  });

  it('does not fetch past an event whose work fails', async () => {
    let isAway = true;
    const { done, catchUp } = await start(async ({ type }) => {
      if (isAway && type === 'bank.refused') throw new Error('the database is away');
      await Promise.resolve();
    });
    kept = [anEvent(), anEvent('bank.refused'), anEvent()];
    await expect(catchUp()).rejects.toThrow('the database is away');
    expect(done).toEqual([kept[0]]);
    isAway = false;
    await catchUp();
    expect(done).toEqual(kept);
  });

  it('fetches from the beginning when the service no longer keeps its last event', async () => {
    const { done, catchUp } = await start();
    const [old, event] = [anEvent(), anEvent()];
    kept = [old];
    await catchUp();
    kept = [event];
    await catchUp();
    expect(done).toEqual([old, event]);
  });

  it('receives events while it cannot fetch any', async () => {
    const { deliver, done, catchUp } = await start(undefined, 'another key');
    await expect(catchUp()).rejects.toThrow('the service answered 401');
    const event = anEvent();
    expect(await deliver(event)).toBe(204);
    expect(done).toEqual([event]);
  });

  it.each(['EVENT_SECRETS', 'USERS_URL', 'EVENTS_KEY', 'DONE_FILE'])('does not start without %s', (name) => {
    const settings = { EVENT_SECRETS: SECRET, USERS_URL: usersUrl, EVENTS_KEY: KEY, DONE_FILE: folder };
    expect(() => createBackend({ ...settings, [name]: '' }, () => undefined)).toThrow('a setting is missing');
  });
});
