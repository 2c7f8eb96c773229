import { AsyncLocalStorage } from 'node:async_hooks';

/** The context of the current request, worker round or command. Each feature declares its own part. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- each part is declared by its feature
export interface RequestScope {}

/** The only async storage: each further one costs time for every promise of every request. */
const storage = new AsyncLocalStorage<RequestScope>();

/** Undefined outside of any scope. */
export function requestScope(): RequestScope | undefined {
  return storage.getStore();
}

/** Adds parts to the current scope, for all following code of the request. @throws Error outside of any scope */
export function addToRequestScope(more: RequestScope): void {
  const scope = storage.getStore();
  if (!scope) throw new Error('there is no scope to add to');
  Object.assign(scope, more);
}

/** Runs work in a scope that adds parts to the surrounding one: a request, a worker's round, a command. */
export function withRequestScope<T>(more: RequestScope, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...more }, work);
}
