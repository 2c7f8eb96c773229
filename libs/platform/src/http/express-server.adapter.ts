import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { EnvelopeAdapter, JSON_TYPE } from '@fd/envelope';
import express, { type Express } from 'express';
import type { HttpConfig } from '../config/common-settings.js';
import type { Pipeline } from './pipeline.js';

/** How long a client may take to send its headers and its whole request. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 1_000 };

/** Express on a server whose waits are bounded. Node.js bounds headers by itself, to 16 KiB. */
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

  /** Nest's own server cannot check connections every second, nor run the pipeline. */
  override initHttpServer(): void {
    const { keepAliveSeconds, maxConnections, connectionSilenceSeconds } = this.config;
    const app = this.getInstance<Express>();
    // the gateway keeps connections for a shorter time, so that it never uses one that we are closing
    const server = createServer(
      { ...TIMEOUTS, keepAliveTimeout: keepAliveSeconds * 1_000 },
      (request, response) => this.pipeline(request, response, () => void app(request, response)),
    );
    server.on('clientError', answerClientError);
    server.maxConnections = maxConnections;
    // also of one that does not read its answer
    server.setTimeout(connectionSilenceSeconds * 1_000);
    this.setHttpServer(server);
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
