import { AppError } from '@fd/errors';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { isJsonMediaType, parseJsonBody } from './json-body.js';
import type { RouteContract } from './route-contract.js';

declare global {
  namespace Express {
    interface Request {
      /** Bytes of the body until it is parsed; null when it is over the limit or the client has gone. */
      bodyBytes?: Buffer | null | undefined;
    }
  }
}

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH'];

/**
 * Reads the body. The RequestGuard parses it later, so that a malformed call is counted by the rate limit and asked for
 * its token like any other.
 * @param limitBytes largest body that is read; a larger one is refused without waiting for the rest of it
 */
export function readBody(limitBytes: number): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (!METHODS_WITH_BODY.includes(request.method)) return next();
    request.body = {};
    void bytesOf(request, limitBytes).then((bytes) => {
      if (request.isTooLate) return;
      request.bodyBytes = bytes;
      // the rest of the body is not waited for, so the connection cannot be used again
      if (bytes === null) response.setHeader('connection', 'close');
      next();
    });
  };
}

/**
 * Puts the parsed body in the place of its bytes.
 * @throws MalformedJsonError, or AppError without items for a body that cannot be used
 */
export function parseBody(
  request: Request,
  { acceptsEmptyBody }: Pick<RouteContract, 'acceptsEmptyBody'>,
): void {
  const { bodyBytes: bytes, headers } = request;
  if (bytes === undefined) return;
  request.bodyBytes = undefined;
  if (bytes?.length === 0 && acceptsEmptyBody) return;
  if (bytes === null || !isJsonMediaType(headers['content-type'], headers['content-encoding'])) {
    throw AppError.unusableRequest();
  }
  request.body = parseJsonBody(bytes);
}

/** The bytes of a body; null when they are more than the limit or the client has gone. */
function bytesOf(request: Request, limitBytes: number): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    const end = (bytes: Buffer | null): void => {
      request.off('data', take);
      // what still arrives is dropped, or the answer could not be read behind it
      request.resume();
      resolve(bytes);
    };
    const take = (part: Buffer): void => {
      size += part.length;
      if (size > limitBytes) return end(null);
      parts.push(part);
    };
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) return end(null);
    request.on('data', take);
    request.once('end', () => end(Buffer.concat(parts)));
    request.once('error', () => end(null));
    request.once('close', () => end(null));
  });
}
