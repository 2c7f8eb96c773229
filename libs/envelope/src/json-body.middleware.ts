import { AppError } from '@fd/errors';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { isJsonMediaType, parseJsonBody } from './json-body.js';

declare global {
  namespace Express {
    interface Request {
      /** Why the body cannot be used. Thrown by the BodyGuard, after limits and authentication had their say. */
      bodyError?: Error;
      /** Whether there was no body at all: not every route minds. */
      isBodyEmpty?: boolean;
    }
  }
}

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH'];

/**
 * Reads and parses the body, but leaves the refusal of a bad one to the BodyGuard: so a malformed call is
 * counted by the rate limit and asked for its token like any other.
 * @param limitBytes largest body that is read; a larger one is refused without waiting for the rest of it
 */
export function jsonBody(limitBytes: number): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (!METHODS_WITH_BODY.includes(request.method)) return next();
    request.body = {};
    void readBody(request, limitBytes).then((bytes) => {
      if (request.isTooLate) return;
      try {
        if (bytes === undefined) {
          // what is left of the body is not waited for, so the connection cannot be used again
          response.setHeader('connection', 'close');
          throw AppError.unusableRequest();
        }
        request.isBodyEmpty = bytes.length === 0;
        if (!isJsonMediaType(request.headers['content-type'], request.headers['content-encoding'])) {
          throw AppError.unusableRequest();
        }
        request.body = parseJsonBody(bytes);
      } catch (error) {
        request.bodyError = error as Error;
      }
      next();
    });
  };
}

/** The bytes of a body; undefined when they are more than the limit or the client has gone. */
function readBody(request: Request, limitBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    const end = (bytes?: Buffer): void => {
      request.off('data', take);
      // what still arrives is dropped, or the answer could not be read behind it
      request.resume();
      resolve(bytes);
    };
    const take = (part: Buffer): void => {
      size += part.length;
      if (size > limitBytes) return end();
      parts.push(part);
    };
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) return end();
    request.on('data', take);
    request.once('end', () => end(Buffer.concat(parts)));
    request.once('error', () => end());
    request.once('close', () => end());
  });
}
