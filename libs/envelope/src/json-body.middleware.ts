import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '@fd/errors';
import { isJsonMediaType, parseJsonBody } from './json-body.js';

declare global {
  namespace Express {
    interface Request {
      /** Why the body cannot be used. Thrown by the BodyGuard, after limits and authentication had their say. */
      bodyError?: Error;
    }
  }
}

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH'];

/**
 * Reads and parses the body, but leaves the refusal of a bad one to the BodyGuard: so a malformed call is
 * counted by the rate limit and asked for its token like any other.
 * @param limitBytes largest body that is read; the rest of a larger one is not waited for
 */
export function jsonBody(limitBytes: number): RequestHandler {
  const read = express.raw({ type: () => true, limit: limitBytes, inflate: false });
  return (request: Request, response: Response, next: NextFunction) => {
    if (!METHODS_WITH_BODY.includes(request.method)) return next();
    read(request, response, (failure?: unknown) => {
      const bytes: unknown = request.body;
      request.body = {};
      try {
        if (failure) {
          // what is left of the body is not read, so the connection cannot be used again
          response.setHeader('connection', 'close');
          throw AppError.unusableRequest();
        }
        if (!isJsonMediaType(request.headers['content-type'], request.headers['content-encoding'])) {
          throw AppError.unusableRequest();
        }
        request.body = parseJsonBody(Buffer.isBuffer(bytes) ? bytes : new Uint8Array());
      } catch (error) {
        request.bodyError = error as Error;
      }
      next();
    });
  };
}
