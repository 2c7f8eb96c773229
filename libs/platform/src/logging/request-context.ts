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

/** Id of the current request, for logs and for calls to external services. */
export function currentRequestId(): string | undefined {
  return requestScope()?.context?.requestId;
}

/** User of the current request; undefined outside of requests and before authentication. */
export function currentUserId(): string | undefined {
  return requestScope()?.context?.userId;
}

/** Sets the user of the current request. */
export function noteCurrentUser(userId: string): void {
  const context = requestScope()?.context;
  if (context) context.userId = userId;
}

/** Runs the handler of a request. */
export function withRequest<T>(context: RequestContext, work: () => T): T {
  return withRequestScope({ context: { ...context } }, work);
}

/** Opens the request scope with the request id of the answer. */
export const requestContext: RequestHandler = (_request, response, next) =>
  withRequest({ requestId: requestIdOf(response) }, next);
