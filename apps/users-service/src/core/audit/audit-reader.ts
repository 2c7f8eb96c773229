import type { EntityManager } from 'typeorm';
import type { ProvenEvent, SealedEvent } from './audit-event.js';
import { EVENT_COLUMNS, eventOf, type EventRow, sealedEventOf, type SealedRow } from './audit-rows.js';

/** Which events are read; what is left out does not narrow it. */
export interface EventFilter {
  /** Whose data it is about. */
  readonly userId?: string;
  /** Slug. */
  readonly issuer?: string;
  readonly from?: Date;
  /** The first moment that is not wanted any more. */
  readonly to?: Date;
}

const BATCH = 5_000;

const MATCHES = `($1::uuid IS NULL OR subject_user_id = $1) AND ($2::text IS NULL OR issuer_slug = $2)
  AND ($3::timestamptz IS NULL OR occurred_at >= $3) AND ($4::timestamptz IS NULL OR occurred_at < $4)`;

const parametersOf = ({ userId, issuer, from, to }: EventFilter): unknown[] => [
  userId ?? null,
  issuer ?? null,
  from ?? null,
  to ?? null,
];

/** The chain in its order, a batch at a time: there may be millions of events. */
export async function* sealedEvents(
  manager: EntityManager,
  filter: EventFilter = {},
): AsyncGenerator<SealedEvent> {
  for (let last = 0; ;) {
    const rows: SealedRow[] = await manager.query<SealedRow[]>(
      `SELECT seq, ${EVENT_COLUMNS}, sealed_at, hash FROM onboarding.audit_events
        WHERE ${MATCHES} AND seq > $5 ORDER BY seq LIMIT ${BATCH}`,
      [...parametersOf(filter), last],
    );
    for (const row of rows) yield sealedEventOf(row);
    if (rows.length < BATCH) return;
    last = Number(rows.at(-1)!.seq);
  }
}

/** An event that waits, and whether one of its id is in the chain already. */
export type WaitingEvent = ProvenEvent & { readonly isSealed: boolean };

/** What waits to be put into the chain, the oldest first. */
export async function* unsealedEvents(
  manager: EntityManager,
  filter: EventFilter = {},
): AsyncGenerator<WaitingEvent> {
  for (let last = ''; ;) {
    const rows: (EventRow & { is_sealed: boolean })[] = await manager.query<
      (EventRow & { is_sealed: boolean })[]
    >(
      `SELECT ${EVENT_COLUMNS}, (SELECT e.seq FROM onboarding.audit_events e WHERE e.id = u.id) IS NOT NULL AS is_sealed
         FROM onboarding.audit_unsealed u
        WHERE ${MATCHES} AND ($5 = '' OR id > $5::uuid) ORDER BY id LIMIT ${BATCH}`,
      [...parametersOf(filter), last],
    );
    for (const row of rows) yield { ...eventOf(row), isSealed: row.is_sealed };
    if (rows.length < BATCH) return;
    last = rows.at(-1)!.id;
  }
}
