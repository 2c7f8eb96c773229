import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { EnvelopeAdapter, JSON_TYPE, timeLimit } from '@fd/envelope';
import express, { type Express } from 'express';
import type { HttpConfig } from '../config/common-settings.js';
import type { HeadersFor } from './answer-headers.js';
import { OpenConnections } from './open-connections.js';
import type { Pipeline } from './pipeline.js';

/** Timeouts of a client's headers and whole request. */
const TIMEOUTS = {
  headersTimeout: timeLimit(10_000),
  requestTimeout: timeLimit(15_000),
  connectionsCheckingInterval: 1_000,
};

/**
 * How long a refused client may take to read its answer. A connection that is closed at once, with unread bytes of the client, is
 * reset, and the client may lose the answer.
 */
const LINGER_MS = timeLimit(500);

/** Express on a server with timeouts. Node.js itself limits headers to 16 KiB. */
export class ExpressServerAdapter extends EnvelopeAdapter {
  private pipeline: Pipeline = (_request, _response, serve) => serve();
  private headersFor: HeadersFor = () => [];
  private readonly connections: OpenConnections;

  constructor(private readonly config: HttpConfig) {
    super(express());
    this.connections = new OpenConnections(config.maxConnectionsPerAddress);
    const app = this.getInstance<Express>();
    app.disable('x-powered-by');
    app.disable('etag');
    // N hops from the right; 0 trusts no header
    app.set('trust proxy', config.trustedProxyHops);
  }

  /** Sets the pipeline before Express, and the headers of answers to malformed HTTP. */
  usePipeline(pipeline: Pipeline, headersFor: HeadersFor): void {
    this.pipeline = pipeline;
    this.headersFor = headersFor;
  }

  /** Nest's own server cannot check connections every second, nor run the pipeline. */
  override initHttpServer(): void {
    const { keepAliveSeconds, maxConnections, connectionSilenceSeconds } = this.config;
    const app = this.getInstance<Express>();
    // longer than the gateway's own limit, so that it never uses a closing connection
    const server = createServer(
      // otherwise Node.js itself answers a request without a host, and takes the first of several
      { ...TIMEOUTS, keepAliveTimeout: keepAliveSeconds * 1_000, requireHostHeader: false },
      (request, response) => {
        this.connections.addRequest(request, response, LINGER_MS);
        // refused already; the client has sent the rest of its request nevertheless
        if (!request.socket.writable) return void request.socket.destroy();
        const hosts = hostsIn(request);
        if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
          return void response.writeHead(...this.refusal(BAD_REQUEST, request)).end(bodyOf(BAD_REQUEST));
        }
        this.pipeline(request, response, () => void app(request, response));
      },
    );
    server.on('checkExpectation', (request: IncomingMessage, response) =>
      response.writeHead(...this.refusal(UNKNOWN_EXPECTATION, request)).end(bodyOf(UNKNOWN_EXPECTATION)),
    );
    server.on('connection', (socket: Socket) => this.connections.add(socket));
    server.on('clientError', (error, socket) => this.answerClientError(error, socket));
    const idleMs = keepAliveSeconds * 1_000 + TIMEOUTS.headersTimeout;
    const { connectionsCheckingInterval: intervalMs } = TIMEOUTS;
    const closing = setInterval(() => this.connections.closeIdle(idleMs), intervalMs).unref();
    server.once('close', () => clearInterval(closing));
    server.maxConnections = maxConnections;
    // also for a client that does not read its answer
    server.setTimeout(connectionSilenceSeconds * 1_000);
    this.setHttpServer(server);
  }

  /** Stops listening, and resolves once every request is answered. */
  override async close(): Promise<void> {
    const idle = setInterval(() => this.closeIdleConnections(), 100);
    await super.close();
    clearInterval(idle);
  }

  private closeIdleConnections(): void {
    (this.httpServer as Server).closeIdleConnections();
    this.connections.closeUnused();
  }

  /** Status, reason and headers of a refusal. */
  private refusal(refused: Refused, request: Pick<IncomingMessage, 'headers'>): [number, string, string[]] {
    const length = String(Buffer.byteLength(bodyOf(refused)));
    const own = ['content-type', JSON_TYPE, 'content-length', length, 'connection', 'close'];
    return [...refused, [...this.headersFor(request), ...own]];
  }

  /** Answers malformed HTTP in the envelope, if the connection is still writable. */
  private answerClientError(error: Error & { code?: string; rawPacket?: Buffer }, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const refused = REFUSED_BY_CODE[error.code ?? ''] ?? BAD_REQUEST;
    const origin = originIn(error.rawPacket);
    const [status, text, list] = this.refusal(refused, { headers: origin === undefined ? {} : { origin } });
    // for any page, since its origin may have come in an earlier packet: the answer is the same for everybody
    if (origin === undefined) list.push('access-control-allow-origin', '*');
    const lines = list.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${list[i + 1]}`] : []));
    socket.end([`HTTP/1.1 ${status} ${text}`, ...lines, '', bodyOf(refused)].join('\r\n'));
    // Node.js no longer watches it: a client that goes on sending would hold it for ever
    const lingering = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(lingering));
  }
}

/** Of a request with two, proxies and servers may take different ones (RFC 9112, 3.2). */
function hostsIn({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

const ORIGIN = /\r\norigin:[ \t]?([!-~]{1,300})\r\n/i;

/** Node.js parses no header of a request that it refuses. */
const originIn = (packet: Buffer | undefined): string | undefined =>
  packet && ORIGIN.exec(packet.toString('latin1'))?.[1];

type Refused = readonly [status: number, text: string];

const BAD_REQUEST: Refused = [400, 'Bad Request'];
const UNKNOWN_EXPECTATION: Refused = [417, 'Expectation Failed'];
const REFUSED_BY_CODE: Readonly<Record<string, Refused>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

const bodyOf = ([statusCode, message]: Refused): string =>
  JSON.stringify({ success: 0, statusCode, message, payload: {}, error: [] });
