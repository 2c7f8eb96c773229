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

/** How often each replica is asked whether it is ready, and how long it may take to say so. */
const PROBE_INTERVAL_MS = 100;
const PROBE_TIMEOUT_MS = 1_000;

interface Replica {
  readonly url: URL;
  readonly agent: Agent;
  readonly removed: AbortController;
  isReady: boolean;
  /** Requests that it has been given. */
  served: number;
}

/** An answer of 500 or more that a replica gave. */
export interface ServerError {
  /** The replica's URL. */
  readonly replica: string;
  readonly status: number;
  readonly path: string;
  /** On the clock of performance.now(). */
  readonly at: number;
}

/**
 * A reverse proxy on 127.0.0.1 before the replicas of a service, which does what a gateway is expected to do: each
 * request goes to the next replica that says it is ready, over connections that are kept; the client's address is
 * added to X-Forwarded-For; another replica is tried only when none was connected to, so that nothing is done twice.
 * It answers 503 when no replica is ready and 502 when a replica broke off, and tells both in `failures`.
 */
export class LoadBalancer {
  /** What this proxy itself has answered instead of a replica: "502 POST /path: ECONNRESET". */
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

  /** Requests that each replica has been given, by its URL. */
  get served(): ReadonlyMap<string, number> {
    return new Map(this.replicas.map(({ url, served }) => [url.origin, served]));
  }

  /** Gives a replica its share of the requests for as long as it is ready. */
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

  /** Resolves once so many replicas are ready. */
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
      // who cannot be connected to is not waited for until the next probe
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

/** The status of an answer, or that no connection could be made, or the error with which a replica broke off. */
type Outcome = number | 'not connected' | NodeJS.ErrnoException;

/** Passes one request on to a replica, and its answer back. */
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
    // a client that went away is not worked for any longer
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

/** Headers without those that are about one connection only. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _connection, 'keep-alive': _keep, 'transfer-encoding': _coding, ...rest } = headers;
  return rest;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
