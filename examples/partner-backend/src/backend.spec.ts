import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PartnerEvent } from '@fd/client/server';
import { eventually } from '@fd/testing';
import { createBackend } from './backend.js';
import { Inbox } from './inbox.js';
import { missedEvents } from './missed-events.js';
import { Worker } from './worker.js';

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
  let logged: string[];

  async function listen(server: Server): Promise<string> {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return urlOf(server);
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fd-backend-'));
    [kept, pulls, logged] = [[], [], []];
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
    for (const server of servers.splice(0)) server.close();
    rmSync(folder, { recursive: true });
  });

  /** Starts a backend, which goes on with the inbox of the former one. WORK may fail or hang. */
  async function start(work: (event: PartnerEvent) => Promise<void> = () => Promise.resolve(), key = KEY) {
    const done: PartnerEvent[] = [];
    const log = (text: string) => void logged.push(text);
    const inbox = new Inbox(join(folder, 'inbox.jsonl'));
    const finish = async (event: PartnerEvent) => {
      await work(event);
      done.push(event);
    };
    const worker = new Worker(inbox, finish, log, 100);
    const server = createBackend({ secrets: [SECRET], inbox, worker, log });
    const catchUp = async () => {
      for await (const events of missedEvents(usersUrl, key, inbox.lastPulled)) inbox.addPulled(events);
      worker.wake();
    };
    const url = `${await listen(server)}/events`;
    const post = (body: string, headers: Record<string, string>) =>
      fetch(url, { method: 'POST', body, headers }).then(({ status }) => status);
    const deliver = (event: PartnerEvent) => {
      const body = JSON.stringify(event);
      return post(body, headersOf(event.id, body));
    };
    const expectDone = (...events: PartnerEvent[]) => eventually(() => expect(done).toEqual(events));
    return { url, done, post, deliver, catchUp, expectDone };
  }

  it('answers 204 to genuine events and works on them, whatever their type', async () => {
    const backend = await start();
    const events = [anEvent(), anEvent('deposit.booked')];
    for (const event of events) expect(await backend.deliver(event)).toBe(204);
    await backend.expectDone(...events);
  });

  it('answers before the work ends', async () => {
    let finish = (): void => undefined;
    const { deliver, expectDone, done } = await start(() => new Promise((resolve) => (finish = resolve)));
    const event = anEvent();
    expect(await deliver(event)).toBe(204);
    expect(done).toEqual([]);
    finish();
    await expectDone(event);
  });

  it('works once on a repeated event, before and after a restart', async () => {
    const [event, later] = [anEvent(), anEvent()];
    const first = await start();
    expect(await Promise.all([first.deliver(event), first.deliver(event)])).toEqual([204, 204]);
    await first.expectDone(event);
    const second = await start();
    expect([await second.deliver(event), await second.deliver(later)]).toEqual([204, 204]);
    await second.expectDone(later);
  });

  it('refuses what is not a genuine and recent event, and does nothing', async () => {
    const { url, post, done, deliver, expectDone } = await start();
    const event = anEvent();
    const body = JSON.stringify(event);
    const genuine = headersOf(event.id, body);
    expect(await post(body, headersOf(event.id, body, { secret: aSecret() }))).toBe(400);
    expect(await post(body, headersOf(event.id, body, { late: 400 }))).toBe(400);
    expect(await post(body.replace('DONE', 'FAILED'), genuine)).toBe(400);
    expect(await post(body, { ...genuine, 'webhook-id': randomUUID() })).toBe(400);
    expect(await post(body, {})).toBe(400);
    expect(logged).toHaveLength(5);
    expect(await post('x'.repeat(65_537), genuine)).toBe(413);
    expect((await fetch(url)).status).toBe(404);
    expect((await fetch(`${url}/more`, { method: 'POST', body, headers: genuine })).status).toBe(404);
    expect(done).toEqual([]);
    expect(await deliver(event)).toBe(204);
    await expectDone(event);
  });

  it('tries failed work again before that of later events', async () => {
    let failures = 5;
    const { deliver, expectDone } = await start(async () => {
      if (failures-- > 0) throw new Error('the database is away');
      await Promise.resolve();
    });
    const events = [anEvent(), anEvent(), anEvent()];
    for (const event of events) expect(await deliver(event)).toBe(204);
    await expectDone(...events);
    expect(logged).toContain('will try again: Error: the database is away');
  });

  it('does the work that a crash has interrupted, and repairs the inbox', async () => {
    const events = [anEvent(), anEvent()];
    const crashed = await start(() => new Promise(() => undefined));
    for (const event of events) expect(await crashed.deliver(event)).toBe(204);
    appendFileSync(join(folder, 'inbox.jsonl'), '{"received":{"id":"');
    const restarted = await start();
    await restarted.catchUp();
    await restarted.expectDone(...events);
    const [third, fourth] = [await start(), anEvent()];
    expect(await third.deliver(fourth)).toBe(204);
    await third.expectDone(fourth);
  });

  it('fetches in order what it missed, and only what is new the next time', async () => {
    const { deliver, catchUp, expectDone } = await start();
    kept = [anEvent(), anEvent(), anEvent(), anEvent(), anEvent()];
    expect(await deliver(kept[3]!)).toBe(204);
    await catchUp();
    const inOrder = [kept[3]!, kept[0]!, kept[1]!, kept[2]!, kept[4]!];
    await expectDone(...inOrder);
    expect(pulls).toHaveLength(3);
    const last = kept[4]!;
    kept = [...kept, anEvent()];
    const restarted = await start();
    await restarted.catchUp();
    expect(pulls.slice(3)).toEqual([`/partner/v1/events?limit=100&after=${last.id}`]);
    await restarted.expectDone(kept[5]!);
  });

  it('fetches from the beginning when the service no longer keeps its last event', async () => {
    const { catchUp, expectDone } = await start();
    const old = anEvent();
    kept = [old];
    await catchUp();
    kept = [];
    await catchUp();
    const event = anEvent();
    kept = [event];
    await catchUp();
    await expectDone(old, event);
  });

  it('receives events while it cannot fetch any', async () => {
    const { deliver, catchUp, expectDone } = await start(undefined, 'another key');
    await expect(catchUp()).rejects.toThrow('the service answered 401');
    const event = anEvent();
    expect(await deliver(event)).toBe(204);
    await expectDone(event);
  });
});
