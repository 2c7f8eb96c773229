import { types } from 'node:util';

/** Whether a thrown value is an error of any realm: Node's own errors may come from another one. */
export function isError(thrown: unknown): thrown is Error {
  return types.isNativeError(thrown) || thrown instanceof Error;
}

/** Name and message of a thrown value, for the log. */
export function reasonOf(thrown: unknown): string {
  return isError(thrown) ? `${thrown.name}: ${thrown.message}`.slice(0, 200) : typeof thrown;
}
