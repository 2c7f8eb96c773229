import { SetMetadata } from '@nestjs/common';
import { requestScope } from '@fd/envelope';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';

declare module '@fd/envelope' {
  interface RequestScope {
    /** Index of the call's idempotency key, in hexadecimal digits; undefined without a key. */
    readonly callIndex?: string;
  }
}

/** Any UUID, for good: ids that are made of the same call must be the same in every version. */
const NAMESPACE = '6f2f2a0e-3a51-4d0f-9b4e-6b1f4d1c7a35';

/**
 * Returns the id of a record that the current request adds. Under an idempotency key it is the same each time the call is
 * made: a call that died after its work was done finds the record when it is made again. Otherwise it is a new one.
 * @param part distinguishes the records of a call
 */
export function recordId(part: string): string {
  const callIndex = requestScope()?.callIndex;
  return callIndex === undefined ? uuidv7() : uuidv5(`${callIndex} ${part}`, NAMESPACE);
}

export const OF_SESSION = Symbol('a call means its session');

/**
 * For a route that acts on the session of its caller: the same key of another session of the user is another call, which must
 * not be given the answer of the first.
 */
export const OfSession = (): MethodDecorator => SetMetadata(OF_SESSION, true);

export const KEPT_BRIEFLY = Symbol('answers are kept briefly');

/**
 * For a route whose answer holds credentials: long enough for a client that lost it to ask again, and no longer,
 * since a kept answer would make a used code or token good for another day.
 */
export const KeptBriefly = (): MethodDecorator => SetMetadata(KEPT_BRIEFLY, true);
