import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

interface RequestContext {
  readonly requestId: string;
  /** Once it is known who calls. */
  userId?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Id of the request that is being served, for logs and for calls to outside parties. */
export function currentRequestId(): string | undefined {
  return storage.getStore()?.requestId;
}

/** User who makes the request that is being served; undefined outside of requests, and while nobody knows. */
export function currentUserId(): string | undefined {
  return storage.getStore()?.userId;
}

/** Tells whoever serves this request which user makes it. */
export function noteCurrentUser(userId: string): void {
  const context = storage.getStore();
  if (context) context.userId = userId;
}

/** Runs what serves one request. */
export function withRequest<T>(context: RequestContext, work: () => T): T {
  return storage.run({ ...context }, work);
}

const VALID_ID = /^[A-Za-z0-9._-]{8,128}$/;
const REQUEST_ID = 'x-request-id';

/** Takes the request id over from a valid incoming header, else makes one, and answers it. */
export function nameRequest(request: Request, response: Response, next: NextFunction): void {
  const incoming = request.headers[REQUEST_ID];
  const isValid = typeof incoming === 'string' && VALID_ID.test(incoming);
  response.setHeader(REQUEST_ID, isValid ? incoming : randomUUID());
  next();
}

/** The id under which a request is answered; undefined before it has one. */
export function requestIdOf(response: Response): string | undefined {
  return response.getHeader(REQUEST_ID) as string | undefined;
}

/** Lets whatever serves a request that has its id know it. */
export function requestContext(_request: Request, response: Response, next: NextFunction): void {
  storage.run({ requestId: requestIdOf(response)! }, next);
}
