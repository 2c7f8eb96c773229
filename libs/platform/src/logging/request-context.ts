import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

interface RequestContext {
  readonly requestId: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Id of the request that is being served, for logs and for calls to outside parties. */
export function currentRequestId(): string | undefined {
  return storage.getStore()?.requestId;
}

const VALID_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** Takes the request id over from a valid incoming header, else makes one, and answers it. */
export function requestContext(request: Request, response: Response, next: NextFunction): void {
  const incoming = request.headers['x-request-id'];
  const requestId = typeof incoming === 'string' && VALID_ID.test(incoming) ? incoming : randomUUID();
  response.setHeader('x-request-id', requestId);
  storage.run({ requestId }, next);
}
