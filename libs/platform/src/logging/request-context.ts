import { requestScope, withRequestScope } from '@fd/envelope';
import { requestIdOf } from '../http/answer-headers.js';
import type { RequestHandler } from 'express';

/** The current request and its user. */
interface RequestContext {
  readonly requestId: string;
  /** Undefined until the session is verified. */
  userId?: string;
}

declare module '@fd/envelope' {
  interface RequestScope {
    readonly context?: RequestContext;
  }
}

/** Id of the request that is being served, for logs and for calls to external services. */
export function currentRequestId(): string | undefined {
  return requestScope()?.context?.requestId;
}

/** User who makes the request that is being served; undefined outside of requests and before the user is identified. */
export function currentUserId(): string | undefined {
  return requestScope()?.context?.userId;
}

/** Notes which user makes this request. */
export function noteCurrentUser(userId: string): void {
  const context = requestScope()?.context;
  if (context) context.userId = userId;
}

/** Runs what serves one request. */
export function withRequest<T>(context: RequestContext, work: () => T): T {
  return withRequestScope({ context: { ...context } }, work);
}

/** Opens the request scope with the id under which the request is answered. */
export const requestContext: RequestHandler = (_request, response, next) =>
  withRequest({ requestId: requestIdOf(response) }, next);
