import { randomUUID } from 'node:crypto';
import { requestScope, withRequestScope } from '@fd/envelope';
import type { NextFunction, Request, Response } from 'express';

/** Who and which. */
interface RequestContext {
  readonly requestId: string;
  /** Once it is known who calls. */
  userId?: string;
}

declare module '@fd/envelope' {
  interface RequestScope {
    readonly context?: RequestContext;
  }
}

/** Id of the request that is being served, for logs and for calls to outside parties. */
export function currentRequestId(): string | undefined {
  return requestScope()?.context?.requestId;
}

/** User who makes the request that is being served; undefined outside of requests, and while nobody knows. */
export function currentUserId(): string | undefined {
  return requestScope()?.context?.userId;
}

/** Tells whoever serves this request which user makes it. */
export function noteCurrentUser(userId: string): void {
  const context = requestScope()?.context;
  if (context) context.userId = userId;
}

/** Runs what serves one request. */
export function withRequest<T>(context: RequestContext, work: () => T): T {
  return withRequestScope({ context: { ...context } }, work);
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
  withRequest({ requestId: requestIdOf(response)! }, next);
}
