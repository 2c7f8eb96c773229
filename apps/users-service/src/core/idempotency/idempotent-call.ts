import { SetMetadata } from '@nestjs/common';
import { requestScope } from '@fd/envelope';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';

declare module '@fd/envelope' {
  interface RequestScope {
    /** Index of the call's idempotency key, in hexadecimal digits; undefined without a key. */
    readonly callIndex?: string;
  }
}

/** A fixed UUID: ids of the same call must be equal in every version. */
const NAMESPACE = '6f2f2a0e-3a51-4d0f-9b4e-6b1f4d1c7a35';

/**
 * Returns the id of a record that the current request adds. With an idempotency key, repeats get the same id, so that
 * the repeat of a call that died after its work finds the record. Otherwise the id is new.
 * @param part distinguishes the records of a call
 */
export function recordId(part: string): string {
  const callIndex = requestScope()?.callIndex;
  return callIndex === undefined ? uuidv7() : uuidv5(`${callIndex} ${part}`, NAMESPACE);
}

export const OF_SESSION = Symbol('a call means its session');

/**
 * For a route that acts on the caller's session, or returns a link whose return address its partner must allow: the same
 * key in another session of the user is a different call and must not get the first answer.
 */
export const OfSession = (): MethodDecorator => SetMetadata(OF_SESSION, true);

export const KEPT_BRIEFLY = Symbol('answers are kept briefly');

/**
 * For an answer with credentials: long enough for a client that lost it, and no longer, because a kept answer would
 * extend the validity of a used code or token.
 */
export const KeptBriefly = (): MethodDecorator => SetMetadata(KEPT_BRIEFLY, true);
