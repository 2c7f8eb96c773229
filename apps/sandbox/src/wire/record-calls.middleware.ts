import { Injectable, type NestMiddleware, type RawBodyRequest } from '@nestjs/common';
import { Clock } from '@fd/platform';
import type { NextFunction, Request, Response } from 'express';
import { Wire } from './wire.store.js';

/** The paths of the played services: `/vendors/msg91/...`, `/providers/pan/...`, `/issuers/kaveri/...`. */
const PLAYED = /^\/(vendors|providers|issuers)\/([^/?]+)/;

/**
 * Records each call to a played service once it has ended, unknown paths and calls without a key included: they show
 * wrong settings. A call that gets no answer ends when its client hangs up.
 */
@Injectable()
export class RecordCalls implements NestMiddleware {
  constructor(
    private readonly wire: Wire,
    private readonly clock: Clock,
  ) {}

  use(request: Request, response: Response, next: NextFunction): void {
    const { originalUrl: path, method, headers } = request;
    const [, kind, name] = PLAYED.exec(path) ?? [];
    if (name === undefined) return next();
    const provider = kind === 'issuers' ? `issuer:${name}` : name;
    const at = this.clock.now();
    const begunAt = performance.now();
    const answer = bodyOf(response);
    response.once('close', () => {
      this.wire.record({
        kind: 'call',
        provider,
        at,
        method,
        path,
        requestHeaders: headers,
        requestBody: sentBody(request),
        status: response.headersSent ? response.statusCode : null,
        responseBody: answer(),
        durationMs: Math.round(performance.now() - begunAt),
      });
    });
    next();
  }
}

/** @returns nothing for a body that was too long to be read */
function sentBody({ rawBody }: RawBodyRequest<Request>): string {
  return rawBody?.toString() ?? '';
}

/** Captures the body when the response ends: the played services do not stream. */
function bodyOf(response: Response): () => string {
  let body = '';
  const end = response.end.bind(response) as (...given: unknown[]) => Response;
  response.end = (...given: unknown[]) => {
    const [chunk] = given;
    if (typeof chunk === 'string' || chunk instanceof Uint8Array)
      body = Buffer.from(chunk as string).toString();
    return end(...given);
  };
  return () => body;
}
