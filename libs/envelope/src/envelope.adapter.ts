import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { announce } from './outcome.js';
import type { RouteContract } from './route-contract.js';
import { sendJson } from './send-json.js';

/**
 * A success that has been written already, for an answer that many get alike: body and tag of one route. It is kept
 * compressed, as nearly all clients take it: a tenth of the bytes in memory and on the way.
 */
export class WrittenAnswer<T extends object = object> {
  readonly gzip: Buffer;
  /** Follows from the content alone, so all replicas give the same one. */
  readonly tag: string;

  /** @param contract of the route that sends it */
  constructor(contract: RouteContract, payload: T) {
    const json = successJson(contract, contract.status, payload);
    const gzip = gzipSync(json);
    // a copy of its own: what zlib returns is a part of 64 KiB, all of which would be kept
    this.gzip = Buffer.alloc(gzip.length, gzip);
    this.tag = `"${createHash('sha256').update(json).digest('base64url').slice(0, 27)}"`;
  }
}

/** A page for people, on a route that answers programs with JSON. Its styles stand in it; it loads and runs nothing. */
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
 * Express with the envelope around every success, as its route declares it. Done where answers are sent, not by an
 * interceptor: an application without any is spared the streams that Nest wraps each call in (measured: a tenth of the
 * processor time of a quote).
 */
export class EnvelopeAdapter extends ExpressAdapter {
  override reply(response: Response, payload: unknown, status?: number): unknown {
    const request = response.req as Request;
    // a route that declares nothing, in an application without the envelope
    if (!request.routeContract) return super.reply(response, payload, status) as unknown;
    if (!request.outcomeListeners) return sendSuccess(request, response, payload);
    return announce(request, { payload }).then(() => sendSuccess(request, response, payload));
  }
}

/** Sends a success in the envelope that its route declares, with the HTTP status of the response. */
export function sendSuccess(request: Request, response: Response, payload: unknown): void {
  // the client has been told 503
  if (response.headersSent) return;
  if (payload instanceof WrittenAnswer) return sendWritten(request, response, payload as WrittenAnswer);
  if (payload instanceof HtmlPage) return payload.send(response);
  const { statusCode } = response;
  sendJson(response, statusCode, successJson(request.routeContract!, statusCode, payload));
}

function sendWritten(request: Request, response: Response, { gzip, tag }: WrittenAnswer): void {
  const takesGzip = request.acceptsEncodings('gzip') !== false;
  response.vary('Accept-Encoding');
  // for other bytes the same tag may only be a weak one
  response.setHeader('etag', takesGzip ? tag : `W/${tag}`);
  // asked with If-None-Match for what it has
  if (request.fresh) return void response.status(304).end();
  if (takesGzip) response.setHeader('content-encoding', 'gzip');
  sendJson(response, response.statusCode, takesGzip ? gzip : gunzipSync(gzip));
}

/** The JSON of a success, in the envelope that its route declares for the HTTP status that the handler chose. */
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
