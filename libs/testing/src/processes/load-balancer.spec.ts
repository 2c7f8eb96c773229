import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LoadBalancer } from './load-balancer.js';
import { eventually } from '../eventually.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A stub of a replica; a test sets its readiness and its answer. */
class StandIn {
  isReady = true;
  connections = 0;
  seen: { readonly forwarded: unknown; readonly body: string }[] = [];
  answer: Handler = (_request, response) => response.end(this.name);
  private readonly server: Server;

  constructor(readonly name: string) {
    this.server = createServer((request, response) => void this.handle(request, response));
    this.server.on('connection', () => (this.connections += 1));
    // a slow test must find its connection open
    this.server.keepAliveTimeout = 60_000;
  }

  static async start(name: string): Promise<StandIn> {
    const standIn = new StandIn(name);
    await once(standIn.server.listen(0, '127.0.0.1'), 'listening');
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/health/ready') return void response.writeHead(this.isReady ? 200 : 503).end();
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    this.seen.push({
      forwarded: request.headers['x-forwarded-for'],
      body: Buffer.concat(parts).toString(),
    });
    this.answer(request, response);
  }
}

describe('LoadBalancer', () => {
  let balancer: LoadBalancer;
  let a: StandIn;
  let b: StandIn;
  beforeEach(async () => {
    [balancer, a, b] = await Promise.all([LoadBalancer.start(), StandIn.start('a'), StandIn.start('b')]);
    balancer.add(a.url);
    balancer.add(b.url);
    await balancer.untilReady(2);
  });
  afterEach(async () => {
    await balancer.stop();
    await Promise.all([a.stop(), b.stop()].map((stopped) => stopped.catch(() => undefined)));
  });

  const ask = async (init?: RequestInit): Promise<string> =>
    (await fetch(`${balancer.url}/thing?x=1`, init)).text();

  it('calls replicas round robin over kept connections', async () => {
    const before = a.connections;
    const answers: string[] = [];
    for (let i = 0; i < 6; i++) answers.push(await ask());
    expect([...answers].sort().join('')).toBe('aaabbb');
    expect(answers[0]).not.toBe(answers[1]);
    expect(a.connections - before).toBeLessThanOrEqual(1);
  });

  it('forwards body, status and headers, and adds the client to X-Forwarded-For', async () => {
    for (const standIn of [a, b])
      standIn.answer = (_request, response) => response.writeHead(201, { 'x-own': 'kept' }).end('{}');
    const response = await fetch(balancer.url, {
      method: 'POST',
      body: 'hello',
      headers: { 'x-forwarded-for': '203.0.113.9' },
    });
    expect([response.status, response.headers.get('x-own')]).toEqual([201, 'kept']);
    expect([...a.seen, ...b.seen]).toEqual([{ body: 'hello', forwarded: '203.0.113.9, 127.0.0.1' }]);
  });

  it('skips a replica until it is ready again', async () => {
    a.isReady = false;
    await balancer.untilReady(1);
    expect([await ask(), await ask()]).toEqual(['b', 'b']);
    b.isReady = false;
    await balancer.untilReady(0);
    expect((await fetch(balancer.url)).status).toBe(503);
    expect(balancer.failures).toEqual(['503 GET /: no replica is ready']);
    a.isReady = true;
    await balancer.untilReady(1);
    expect(await ask()).toBe('a');
  });

  it('records which replica answered a server error', async () => {
    for (const standIn of [a, b]) standIn.answer = (_request, response) => response.writeHead(503).end();
    a.isReady = false;
    await balancer.untilReady(1);
    expect((await fetch(`${balancer.url}/busy`)).status).toBe(503);
    expect(balancer.serverErrors).toEqual([
      { replica: b.url, status: 503, path: '/busy', at: expect.any(Number) as number },
    ]);
    expect(balancer.failures).toEqual([]);
  });

  it('tries another replica when a connection fails', async () => {
    await a.stop();
    expect([await ask(), await ask()]).toEqual(['b', 'b']);
    expect(balancer.failures).toEqual([]);
  });

  it('tries no other replica after an interrupted answer, since the call may have had its effect', async () => {
    for (const standIn of [a, b]) standIn.answer = (request) => request.socket.resetAndDestroy();
    expect((await fetch(balancer.url, { method: 'POST', body: 'once' })).status).toBe(502);
    expect([...a.seen, ...b.seen]).toHaveLength(1);
    expect(balancer.failures).toEqual(['502 POST /: ECONNRESET']);
  });

  it('aborts an answer when the replica aborts it', async () => {
    for (const standIn of [a, b])
      standIn.answer = (request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => request.socket.resetAndDestroy());
      };
    await expect(ask()).rejects.toThrow();
    await eventually(() => expect(balancer.failures).toEqual(['502 GET /thing?x=1: ECONNRESET']));
  });
});
