import type { WrittenAnswer } from '@fd/envelope';
import type { Vehicle } from './catalogue.js';

/** An answer that is valid from one instant (included) until the other (excluded), in milliseconds. */
interface KeptAnswer {
  readonly answer: WrittenAnswer<object>;
  readonly from: number;
  readonly until: number;
}

/**
 * Answers by what they show, each written when it is first asked for: what it shows never changes (a new revision brings
 * new objects), so the answer is another one only when something begins or ceases to be on sale.
 */
const kept = new WeakMap<object, KeptAnswer>();

/**
 * The answer that shows SUBJECT at an instant.
 * @param vehicles all that it tells of
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

/** For how long before and after an instant the same vehicles are on sale. */
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
