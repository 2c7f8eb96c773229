import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as startRequest,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../eventually.js';

const PROBE_INTERVAL_MS = 100;
/** Generous for a busy machine: a replica that has ended refuses connections at once. */
const PROBE_TIMEOUT_MS = 10_000;

interface Replica {
  readonly url: URL;
  readonly agent: Agent;
  readonly removed: AbortController;
  isReady: boolean;
  /** Requests sent to it. */
  served: number;
}

/** An answer of 500 or more by a replica. */
export interface ServerError {
  /** The replica's URL. */
  readonly replica: string;
  readonly status: number;
  readonly path: string;
  /** By performance.now(). */
  readonly at: number;
}

/**
 * A reverse proxy on 127.0.0.1 in front of the replicas of a service, like a gateway: sends requests to ready replicas round
 * robin over kept connections, adds the client's address to X-Forwarded-For, and tries another replica only when a connection
 * fails, so that no call has its effect twice. Answers 503 when no replica is ready and 502 when a replica aborts, and records
 * both in `failures`.
 */
export class LoadBalancer {
  /** This proxy's own answers: "502 POST /path: ECONNRESET". */
  readonly failures: string[] = [];
  readonly serverErrors: ServerError[] = [];
  private readonly replicas: Replica[] = [];
  private turn = 0;
  private readonly server = createServer((request, response) => void this.forward(request, response));

  static async start(): Promise<LoadBalancer> {
    const balancer = new LoadBalancer();
    await once(balancer.server.listen(0, '127.0.0.1'), 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Requests sent to each replica, by URL. */
  get served(): ReadonlyMap<string, number> {
    return new Map(this.replicas.map(({ url, served }) => [url.origin, served]));
  }

  /** Adds a replica, which gets its share of the requests while it is ready. */
  add(url: string): void {
    const replica: Replica = {
      url: new URL(url),
      agent: new Agent({ keepAlive: true }),
      removed: new AbortController(),
      isReady: false,
      served: 0,
    };
    this.replicas.push(replica);
    void watch(replica);
  }

  remove(url: string): void {
    const at = this.replicas.findIndex((replica) => replica.url.origin === new URL(url).origin);
    for (const replica of at < 0 ? [] : this.replicas.splice(at, 1)) {
      replica.removed.abort();
      replica.agent.destroy();
    }
  }

  /** Resolves when this many replicas are ready. */
  async untilReady(count: number): Promise<void> {
    await eventually(() => expect(this.replicas.filter(({ isReady }) => isReady)).toHaveLength(count));
  }

  async stop(): Promise<void> {
    for (const { url } of [...this.replicas]) this.remove(url.origin);
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request).catch(() => undefined);
    if (!body) return void response.destroy();
    for (const tried = new Set<Replica>(); ;) {
      const replica = this.next(tried);
      if (!replica) return this.fail(503, 'no replica is ready', request, response);
      tried.add(replica);
      const outcome = await attempt(replica, request, body, response);
      if (typeof outcome === 'number') return this.note(replica, outcome, request.url!);
      if (outcome !== 'not connected') return this.fail(502, outcome.code ?? '', request, response);
      // an unreachable replica is skipped without waiting for the next probe
      replica.isReady = false;
    }
  }

  private next(tried: ReadonlySet<Replica>): Replica | undefined {
    const ready = this.replicas.filter((replica) => replica.isReady && !tried.has(replica));
    return ready[this.turn++ % ready.length];
  }

  private note(replica: Replica, status: number, path: string): void {
    if (status < 500) return;
    this.serverErrors.push({ replica: replica.url.origin, status, path, at: performance.now() });
  }

  private fail(status: number, why: string, request: IncomingMessage, response: ServerResponse): void {
    this.failures.push(`${status} ${request.method} ${request.url}: ${why}`);
    if (response.headersSent) return void response.destroy();
    response.writeHead(status, { 'content-type': 'text/plain' }).end(why);
  }
}

async function watch(replica: Replica): Promise<void> {
  const { signal } = replica.removed;
  while (!signal.aborted) {
    const timeout = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const answer = await fetch(new URL('/health/ready', replica.url), {
      signal: AbortSignal.any([signal, timeout]),
    }).catch(() => undefined);
    replica.isReady = answer?.ok === true;
    await answer?.arrayBuffer().catch(() => undefined);
    await sleep(PROBE_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** The status of an answer, a failed connection, or the error of an aborted answer. */
type Outcome = number | 'not connected' | NodeJS.ErrnoException;

/** Forwards a request to a replica and its answer to the client. */
function attempt(
  replica: Replica,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<Outcome> {
  replica.served += 1;
  return new Promise((resolve) => {
    let isConnected = false;
    const onward = startRequest(new URL(request.url!, replica.url), {
      agent: replica.agent,
      method: request.method,
      headers: onwardHeaders(request, body),
      setHost: false,
    });
    onward.on('socket', (socket) => {
      if (!socket.connecting) isConnected = true;
      else socket.once('connect', () => (isConnected = true));
    });
    onward.on('error', (error) => resolve(isConnected ? error : 'not connected'));
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode!, endToEnd(answer.headers));
      answer.on('error', resolve);
      answer.on('end', () => resolve(answer.statusCode!));
      answer.pipe(response);
    });
    // the client has disconnected
    response.on('close', () => void (response.writableFinished || onward.destroy()));
    onward.end(body);
  });
}

function onwardHeaders(request: IncomingMessage, body: Buffer): IncomingHttpHeaders {
  const { 'x-forwarded-for': before } = request.headers;
  const client = request.socket.remoteAddress ?? 'unknown';
  return {
    ...endToEnd(request.headers),
    'x-forwarded-for': before === undefined ? client : `${String(before)}, ${client}`,
    ...(body.length > 0 ? { 'content-length': String(body.length) } : {}),
  };
}

/** Headers without hop-by-hop ones. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _connection, 'keep-alive': _keep, 'transfer-encoding': _coding, ...rest } = headers;
  return rest;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
