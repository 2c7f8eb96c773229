import { type Queryable } from '@fd/platform';
import { type ProvenEvent, type SealedEvent, SELECTED_EVENT } from './audit-event.js';

/** Which events to read; omitted fields do not filter. */
export interface EventFilter {
  /** Owner of the data. */
  readonly userId?: string | undefined;
  /** Slug. */
  readonly issuer?: string | undefined;
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
  /** Sealed events behind this one. */
  readonly afterSeq?: number | undefined;
}

const BATCH = 5_000;

const MATCHES = `($1::uuid IS NULL OR subject_user_id = $1) AND ($2::text IS NULL OR issuer_slug = $2)
  AND ($3::timestamptz IS NULL OR occurred_at >= $3) AND ($4::timestamptz IS NULL OR occurred_at < $4)`;

const parametersOf = ({ userId, issuer, from, to }: EventFilter): unknown[] => [userId, issuer, from, to];

/** Read in batches, because there may be millions of events. */
async function* inBatches<Event>(read: (last?: Event) => Promise<Event[]>): AsyncGenerator<Event> {
  for (let last: Event | undefined; ;) {
    const events = await read(last);
    yield* events;
    if (events.length < BATCH) return;
    last = events.at(-1);
  }
}

/** Reads the chain in its order. */
export function sealedEvents(connection: Queryable, filter: EventFilter = {}): AsyncGenerator<SealedEvent> {
  // the driver gives a bigint as text; the numbers of events fit into a double
  return inBatches<SealedEvent>((last) =>
    connection.query(
      `SELECT seq::float8 AS seq, ${SELECTED_EVENT}, sealed_at AS "sealedAt", hash FROM onboarding.audit_events e
        WHERE ${MATCHES} AND e.seq > $5 ORDER BY e.seq LIMIT ${BATCH}`,
      [...parametersOf(filter), last?.seq ?? filter.afterSeq ?? 0],
    ),
  );
}

/** A waiting event, and whether the chain already has its id. */
export type WaitingEvent = ProvenEvent & { readonly isSealed: boolean };

/** Reads waiting events, the oldest first. */
export function unsealedEvents(
  connection: Queryable,
  filter: EventFilter = {},
): AsyncGenerator<WaitingEvent> {
  return inBatches<WaitingEvent>((last) =>
    connection.query(
      `SELECT ${SELECTED_EVENT},
              (SELECT e.seq FROM onboarding.audit_events e WHERE e.id = u.id) IS NOT NULL AS "isSealed"
         FROM onboarding.audit_unsealed u
        WHERE ${MATCHES} AND ($5::uuid IS NULL OR id > $5) ORDER BY id LIMIT ${BATCH}`,
      [...parametersOf(filter), last?.id],
    ),
  );
}
