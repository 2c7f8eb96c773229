import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
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

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const bodyOf = (status: number): string => JSON.stringify(failure(status, []));

/** Answers requests that Node.js itself refuses, in the envelope and with the headers of other answers. */
export function answerMalformedHttp(
  server: Server,
  config: Pick<HttpConfig, 'corsOrigins'>,
  isTlsDemanded: boolean,
): void {
  const headersOfAll = preparedHeaders(config, isTlsDemanded);
  const headersOf = (body: string, ...request: Parameters<typeof headersOfAll>): string[][] => [
    ...headersOfAll(...request),
    ['content-type', JSON_TYPE],
    ['content-length', String(Buffer.byteLength(body))],
    ['connection', 'close'],
  ];

  server.on('checkExpectation', ({ headers }: IncomingMessage, response: ServerResponse) => {
    const body = bodyOf(417);
    response.writeHead(417, headersOf(body, headers, headers.origin ?? '').flat()).end(body);
  });

  server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
    const body = bodyOf(status);
    const lines = headersOf(body, {}, originIn(error.rawPacket)).map((header) => header.join(': '));
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
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
  const isHost = (text: string, i: number) =>
    i % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host';
  const hosts = request.rawHeaders.filter(isHost).length;
  if (hosts === 1 || (hosts === 0 && request.httpVersion !== '1.1')) return next();
  response.setHeader('connection', 'close');
  sendJson(response, 400, bodyOf(400));
};
