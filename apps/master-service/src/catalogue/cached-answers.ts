import type { PreparedAnswer } from '@fd/envelope';
import type { Vehicle } from './catalogue.js';

/** An answer that is valid from one instant (included) until the other (excluded), in milliseconds. */
interface CachedAnswer {
  readonly answer: PreparedAnswer<object>;
  readonly from: number;
  readonly until: number;
}

/**
 * Prepared answers by their subject. A subject is immutable (a new revision brings new objects), so its answer changes only
 * when the sale of a vehicle begins or ends.
 */
const cache = new WeakMap<object, CachedAnswer>();

/**
 * Returns the answer about SUBJECT at an instant; calls PREPARE only if none is cached for it.
 * @param vehicles all vehicles in the answer
 */
export function cachedAnswer<T extends object>(
  subject: object,
  vehicles: Iterable<Vehicle>,
  at: Date,
  prepare: () => PreparedAnswer<T>,
): PreparedAnswer<T> {
  const known = cache.get(subject);
  if (known && known.from <= at.getTime() && at.getTime() < known.until) return known.answer;
  const answer = prepare();
  cache.set(subject, { answer, ...periodAround(at, vehicles) });
  return answer;
}

/** The period around an instant in which the same vehicles are on sale. */
function periodAround(at: Date, vehicles: Iterable<Vehicle>): Omit<CachedAnswer, 'answer'> {
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
