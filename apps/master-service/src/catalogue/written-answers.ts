import { createHash } from 'node:crypto';
import { WrittenPayload } from '@fd/envelope';
import type { Vehicle } from './catalogue.js';

/** A payload as all get it, with the tag by which a client finds out whether it has it already. */
export interface WrittenAnswer<T extends object> {
  readonly payload: WrittenPayload<T>;
  /** Follows from the content alone, so all replicas give the same one. */
  readonly tag: string;
}

/** An answer that is valid from one instant (included) until the other (excluded), in milliseconds. */
interface KeptAnswer extends WrittenAnswer<object> {
  readonly from: number;
  readonly until: number;
}

/**
 * Payloads by what they show, each written once: what it shows never changes (a new revision brings new objects), so
 * the payload is another one only when something begins or ceases to be on sale.
 */
const kept = new WeakMap<object, KeptAnswer>();

/**
 * The payload that shows SUBJECT at an instant.
 * @param vehicles all that it tells of
 */
export function writtenAnswer<T extends object>(
  subject: object,
  vehicles: readonly Vehicle[],
  at: Date,
  present: () => T,
): WrittenAnswer<T> {
  const known = kept.get(subject);
  if (known && known.from <= at.getTime() && at.getTime() < known.until) return known;
  const payload = new WrittenPayload(present());
  const tag = createHash('sha256').update(payload.json).digest('base64url').slice(0, 27);
  const answer = { payload, tag: `"${tag}"`, ...periodAround(at, vehicles) };
  kept.set(subject, answer);
  return answer;
}

/** For how long before and after an instant the same vehicles are on sale. */
function periodAround(at: Date, vehicles: readonly Vehicle[]): Pick<KeptAnswer, 'from' | 'until'> {
  let [from, until] = [-Infinity, Infinity];
  for (const { effectiveAt, ineffectiveAt } of vehicles) {
    for (const change of [effectiveAt, ineffectiveAt]) {
      if (change === null) continue;
      if (change <= at) from = Math.max(from, change.getTime());
      else until = Math.min(until, change.getTime());
    }
  }
  return { from, until };
}
