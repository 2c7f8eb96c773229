import { types } from 'node:util';

/** Whether a thrown value is an error, whichever realm made it: Node's own may come from outside of ours. */
export function isError(thrown: unknown): thrown is Error {
  return types.isNativeError(thrown) || thrown instanceof Error;
}
