import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { requestStore } from './request-store.js';
import type { RouteContract } from './route-contract.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sends prepared JSON, with or without Express: every answer of the envelope. Without look-up, hash or conversion, headers and
 * text leave in one write.
 */
export function sendJson(response: ServerResponse, status: number, json: string | Buffer): void {
  response.statusCode = status;
  response.setHeader('content-type', JSON_TYPE);
  // Node.js counts the bytes itself, except for HEAD
  if (typeof json !== 'string') response.setHeader('content-length', json.length);
  response.end(json);
}

/**
 * A prepared success, for answers that are equal for many clients: body and ETag of one route. Stored compressed, since nearly
 * all clients accept that: a tenth of the bytes in memory and on the wire.
 */
export class PreparedAnswer<T extends object = object> {
  readonly gzip: Buffer;
  /** A hash of the content, equal on all replicas. */
  readonly tag: string;

  /** @param contract of the route */
  constructor(contract: RouteContract, payload: T) {
    const json = successJson(contract, contract.status, payload);
    const gzip = gzipSync(json);
    // a copy, because zlib returns a slice of 64 KiB, which would all stay in memory
    this.gzip = Buffer.alloc(gzip.length, gzip);
    this.tag = `"${createHash('sha256').update(json).digest('base64url').slice(0, 27)}"`;
  }
}

/** An HTML page on a route that also answers JSON. Its styles are inline; it loads and runs nothing. */
export class HtmlPage {
  constructor(private readonly html: string) {}

  send(response: Response): void {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'");
    response.setHeader('referrer-policy', 'no-referrer');
    response.end(this.html);
  }
}

/**
 * Express with the envelope around every success, as its route declares it. Not an interceptor: without interceptors Nest does
 * not wrap each call in streams (measured: a tenth of the processor time of a quote).
 */
export class EnvelopeAdapter extends ExpressAdapter {
  override reply(response: Response, payload: unknown, status?: number): unknown {
    const contract = requestStore()?.contract;
    // an application without the envelope
    if (!contract) return super.reply(response, payload, status) as unknown;
    // the client has got 503
    if (response.headersSent) return undefined;
    if (payload instanceof PreparedAnswer)
      return sendPrepared(response.req as Request, response, payload as PreparedAnswer);
    if (payload instanceof HtmlPage) return payload.send(response);
    const { statusCode } = response;
    return sendJson(response, statusCode, successJson(contract, statusCode, payload));
  }
}

function sendPrepared(request: Request, response: Response, { gzip, tag }: PreparedAnswer): void {
  const takesGzip = request.acceptsEncodings('gzip') !== false;
  response.vary('Accept-Encoding');
  // the same tag for other bytes must be weak
  response.setHeader('etag', takesGzip ? tag : `W/${tag}`);
  // the client has this content (If-None-Match)
  if (request.fresh) return void response.status(304).end();
  if (takesGzip) response.setHeader('content-encoding', 'gzip');
  sendJson(response, response.statusCode, takesGzip ? gzip : gunzipSync(gzip));
}

/** The JSON of a success, in the route's envelope for the HTTP status of the handler. */
function successJson(contract: RouteContract, status: number, payload: unknown): string {
  if (contract.isRaw) return JSON.stringify(payload);
  const alternative = contract.alternatives.find((other) => other.status === status);
  return JSON.stringify({
    success: 1,
    statusCode: alternative ? status : contract.bodyStatus,
    message: alternative?.message ?? contract.message,
    payload: payload ?? {},
  });
}
