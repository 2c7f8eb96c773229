import { types } from 'node:util';

/** Whether a thrown value is an error, whichever realm made it: Node's own may come from outside of ours. */
export function isError(thrown: unknown): thrown is Error {
  return types.isNativeError(thrown) || thrown instanceof Error;
}

/** Name and message of what was thrown, for the log. */
export function reasonOf(thrown: unknown): string {
  return isError(thrown) ? `${thrown.name}: ${thrown.message}`.slice(0, 200) : typeof thrown;
}
