import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { EnvelopeAdapter, JSON_TYPE } from '@fd/envelope';
import type { Express } from 'express';
import express from 'express';
import type { HttpConfig } from '../config/common-settings.js';
import type { Pipeline } from './pipeline.js';

/** How long a client may take to send its headers and its whole request, and how large its headers may be. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const CHECK_INTERVAL_MS = 1_000;
const MAX_HEADER_BYTES = 16_384;

/** Express on a server whose waits and sizes are bounded. */
export class ExpressServerAdapter extends EnvelopeAdapter {
  private pipeline: Pipeline = (_request, _response, serve) => serve();

  constructor(private readonly config: HttpConfig) {
    super(express());
    const app = this.getInstance<Express>();
    app.disable('x-powered-by');
    app.disable('etag');
    // N hops from the right; 0 believes no header at all
    app.set('trust proxy', config.trustedProxyHops);
  }

  /** Every request passes the pipeline before Express gets it. */
  usePipeline(pipeline: Pipeline): void {
    this.pipeline = pipeline;
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    const server = createServer(
      {
        headersTimeout: HEADERS_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: CHECK_INTERVAL_MS,
        // longer than the gateway keeps its own, so that it never uses a connection that we are closing
        keepAliveTimeout: this.config.keepAliveSeconds * 1_000,
        maxHeaderSize: MAX_HEADER_BYTES,
      },
      (request, response) => this.pipeline(request, response, () => void app(request, response)),
    );
    server.on('clientError', answerClientError);
    server.maxConnections = this.config.maxConnections;
    // also of one that does not read its answer
    server.setTimeout(this.config.connectionSilenceSeconds * 1_000);
    (this as unknown as { httpServer: Server }).httpServer = server;
  }
}

const STATUS_BY_CODE: Record<string, [status: number, text: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** What cannot be read as HTTP gets the envelope too, as far as there is a connection to write to. */
function answerClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, text] = STATUS_BY_CODE[error.code ?? ''] ?? [400, 'Bad Request'];
  const body = JSON.stringify({ success: 0, statusCode: status, message: text, payload: {}, error: [] });
  socket.end(
    `HTTP/1.1 ${status} ${text}\r\ncontent-type: ${JSON_TYPE}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
