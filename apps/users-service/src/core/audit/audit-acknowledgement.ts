import { forgeryOf } from './audit-chain.js';
import { MAX_FORGERIES } from './audit-check.js';
import type { AuditKeys } from './audit-event.js';
import { sealedEvents } from './audit-reader.js';
import type { OperatorTools } from './operator-tools.js';

/** Numbers of events, both included. */
export interface Range {
  readonly from: number;
  readonly until: number;
}

/**
 * Records that an operator has examined the forged events of a range. Later checks accept these events, which stay in the
 * chain, and the check with a head file continues behind them.
 * @returns a line for each forged event
 * @throws CommandError if the range has none, or too many
 */
export async function acknowledgeForgeries(
  { dataSource, trail, reason, refuse }: OperatorTools,
  keys: AuditKeys,
  { from, until }: Range,
): Promise<string[]> {
  const action = 'FORGERY_ACKNOWLEDGED';
  const forged: { seq: number; id: string }[] = [];
  for await (const event of sealedEvents(dataSource.manager, { afterSeq: from - 1 })) {
    if (event.seq > until || forged.length > MAX_FORGERIES) break;
    if (forgeryOf(keys, event)) forged.push({ seq: event.seq, id: event.id });
  }
  if (forged.length === 0 || forged.length > MAX_FORGERIES) {
    const problem =
      forged.length === 0
        ? `No event from ${from} to ${until} is forged.`
        : `More than ${MAX_FORGERIES} events are forged: give a shorter range.`;
    return refuse({ action }, problem);
  }
  await dataSource.transaction(async (tx) => {
    for (const { id: object } of forged) await trail.record(tx, { action, object, code: reason });
  });
  return forged.map(({ seq, id }) => `acknowledged\t${seq}\t${id}`);
}
