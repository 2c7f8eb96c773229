import type { WrittenAnswer } from '@fd/envelope';
import type { Vehicle } from './catalogue.js';

/** An answer that is valid from one instant (included) until the other (excluded), in milliseconds. */
interface KeptAnswer {
  readonly answer: WrittenAnswer<object>;
  readonly from: number;
  readonly until: number;
}

/**
 * Caches rendered answers by their subject. A subject is immutable (a new revision brings new objects), so its answer changes
 * only when a vehicle begins or ends its sale.
 */
const kept = new WeakMap<object, KeptAnswer>();

/**
 * The answer about SUBJECT at an instant.
 * @param vehicles all vehicles in it
 */
export function writtenAnswer<T extends object>(
  subject: object,
  vehicles: Iterable<Vehicle>,
  at: Date,
  write: () => WrittenAnswer<T>,
): WrittenAnswer<T> {
  const known = kept.get(subject);
  if (known && known.from <= at.getTime() && at.getTime() < known.until) return known.answer;
  const answer = write();
  kept.set(subject, { answer, ...periodAround(at, vehicles) });
  return answer;
}

/** The period around an instant in which the same vehicles are on sale. */
function periodAround(at: Date, vehicles: Iterable<Vehicle>): Omit<KeptAnswer, 'answer'> {
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
