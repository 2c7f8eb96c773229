import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { failure, JSON_TYPE, sendJson, timeLimit } from '@fd/envelope';
import type { RequestHandler } from 'express';
import type { HttpConfig } from '../config/common-settings.js';
import { preparedHeaders } from './answer-headers.js';

/**
 * How long a refused client may take to read its answer. A connection that is closed at once, with unread bytes of the client, is
 * reset, and the client may lose the answer.
 */
export const LINGER_MS = timeLimit(500);

type Refused = readonly [status: number, text: string];

const BAD_REQUEST: Refused = [400, 'Bad Request'];
const UNKNOWN_EXPECTATION: Refused = [417, 'Expectation Failed'];
const REFUSED_BY_CODE: Readonly<Record<string, Refused>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

const bodyOf = ([status]: Refused): string => JSON.stringify(failure(status, []));

/** Answers requests that Node.js itself refuses, in the envelope and with the headers of other answers. */
export function answerMalformedHttp(
  server: Server,
  config: Pick<HttpConfig, 'corsOrigins'>,
  isTlsDemanded: boolean,
): void {
  const headersOfAll = preparedHeaders(config, isTlsDemanded);
  const headersOf = (
    refused: Refused,
    ...request: Parameters<typeof headersOfAll>
  ): [name: string, value: string][] => [
    ...headersOfAll(...request),
    ['content-type', JSON_TYPE],
    ['content-length', String(Buffer.byteLength(bodyOf(refused)))],
    ['connection', 'close'],
  ];

  server.on('checkExpectation', ({ headers }: IncomingMessage, response: ServerResponse) => {
    const list = headersOf(UNKNOWN_EXPECTATION, headers, headers.origin ?? '').flat();
    response.writeHead(...UNKNOWN_EXPECTATION, list).end(bodyOf(UNKNOWN_EXPECTATION));
  });

  server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const refused = REFUSED_BY_CODE[error.code ?? ''] ?? BAD_REQUEST;
    const lines = headersOf(refused, {}, originIn(error.rawPacket)).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.end([`HTTP/1.1 ${refused.join(' ')}`, ...lines, '', bodyOf(refused)].join('\r\n'));
    // Node.js no longer watches it: a client that goes on sending would hold it for ever
    const lingering = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(lingering));
  });
}

const ORIGIN = /\r\norigin:[ \t]?([!-~]{1,300})\r\n/i;

/** Node.js parses no header of a request that it refuses. */
const originIn = (packet: Buffer | undefined): string | undefined =>
  packet && ORIGIN.exec(packet.toString('latin1'))?.[1];

/**
 * Refuses a request with several hosts, of which proxies and servers may take different ones (RFC 9112, 3.2), or of HTTP/1.1
 * without one. Node.js itself would answer the latter without the envelope.
 */
export const requireOneHost: RequestHandler = (request, response, next) => {
  const hosts = hostsIn(request);
  if (hosts === 1 || (hosts === 0 && request.httpVersion !== '1.1')) return next();
  response.setHeader('connection', 'close');
  sendJson(response, BAD_REQUEST[0], bodyOf(BAD_REQUEST));
};

function hostsIn({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}
