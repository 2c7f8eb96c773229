import { requestStore, withRequestStore } from '@fd/envelope';
import { requestIdOf } from '../http/request-id.js';
import type { RequestHandler } from 'express';

/** Id of the current request, for logs and for calls to external services. */
export function currentRequestId(): string | undefined {
  return requestStore()?.requestId;
}

/** User of the current request; undefined outside of requests and before authentication. */
export function currentUserId(): string | undefined {
  return requestStore()?.userId;
}

/** Sets the user of the current request. */
export function noteCurrentUser(userId: string): void {
  const store = requestStore();
  if (store) store.userId = userId;
}

/** Opens the store of a request, with the request id of the answer. */
export const openRequestStore: RequestHandler = (_request, response, next) =>
  withRequestStore({ requestId: requestIdOf(response) }, next);
