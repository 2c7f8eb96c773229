import { type RequestStore, requestStore } from '@fd/envelope';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';

export interface IdempotentCallStore extends RequestStore {
  /** Index of the call's idempotency key, in hexadecimal digits; undefined without a key. */
  readonly callIndex?: string;
}

/** A fixed UUID: ids of the same call must be equal in every version. */
const NAMESPACE = '6f2f2a0e-3a51-4d0f-9b4e-6b1f4d1c7a35';

/**
 * Returns the id of a record that the current request adds. With an idempotency key, repeats get the same id, so that
 * the repeat of a call that died after its work finds the record. Otherwise the id is new.
 * @param part distinguishes the records of a call
 */
export function recordId(part: string): string {
  const callIndex = requestStore<IdempotentCallStore>()?.callIndex;
  return callIndex === undefined ? uuidv7() : uuidv5(`${callIndex} ${part}`, NAMESPACE);
}
