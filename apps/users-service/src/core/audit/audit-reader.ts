import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { AUDIT_FIELDS, type ProvenEvent, type SealedEvent } from './audit-event.js';
import { SealedAuditEvent, UnsealedAuditEvent } from './audit-event.entity.js';

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

/** A waiting event, and whether the chain already has its id. */
export type WaitingEvent = ProvenEvent & { readonly isSealed: boolean };

const BATCH = 5_000;

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Read in batches, because there may be millions of events. */
async function* inBatches<Event>(read: (last?: Event) => Promise<Event[]>): AsyncGenerator<Event> {
  for (let last: Event | undefined; ;) {
    const events = await read(last);
    yield* events;
    if (events.length < BATCH) return;
    last = events.at(-1);
  }
}

/** Selects events `e` as a `ProvenEvent`. */
export function selectedEvents<Row extends ProvenEvent>(
  tx: EntityManager,
  entity: new () => Row,
): SelectQueryBuilder<Row> {
  const events = tx.createQueryBuilder(entity, 'e').select('e.proof', 'proof');
  for (const field of AUDIT_FIELDS) events.addSelect(`e.${field}`, field);
  return events;
}

/** Selects whether the chain has the id of an event `e`. Looked up one by one, because a join might scan the whole chain. */
export const sealedIdOf = (events: SelectQueryBuilder<UnsealedAuditEvent>): string =>
  events.subQuery().select('s.seq').from(SealedAuditEvent, 's').where('s.id = e.id').getQuery();

function matching<Row extends ProvenEvent>(
  tx: EntityManager,
  entity: new () => Row,
  { userId, issuer, from, to }: EventFilter,
): SelectQueryBuilder<Row> {
  const events = selectedEvents(tx, entity).limit(BATCH);
  if (userId !== undefined) events.andWhere('e.subjectUserId = :userId', { userId });
  if (issuer !== undefined) events.andWhere('e.issuerSlug = :issuer', { issuer });
  if (from !== undefined) events.andWhere('e.occurredAt >= :from', { from });
  if (to !== undefined) events.andWhere('e.occurredAt < :to', { to });
  return events;
}

export function sealedEvents(tx: EntityManager, filter: EventFilter = {}): AsyncGenerator<SealedEvent> {
  return inBatches<SealedEvent>((last) =>
    matching(tx, SealedAuditEvent, filter)
      // the driver gives a bigint as text; the numbers of events fit into a double
      .addSelect('e.seq::float8', 'seq')
      .addSelect('e.sealedAt', 'sealedAt')
      .addSelect('e.hash', 'hash')
      .andWhere('e.seq > :after', { after: last?.seq ?? filter.afterSeq ?? 0 })
      .orderBy('e.seq')
      .getRawMany<SealedEvent>(),
  );
}

export function unsealedEvents(tx: EntityManager, filter: EventFilter = {}): AsyncGenerator<WaitingEvent> {
  return inBatches<WaitingEvent>((last) => {
    const events = matching(tx, UnsealedAuditEvent, filter).orderBy('e.id');
    events.addSelect(`${sealedIdOf(events)} IS NOT NULL`, 'isSealed');
    if (last) events.andWhere('e.id > :last', { last: last.id });
    return events.getRawMany<WaitingEvent>();
  });
}

/** The issuers for which a user has done something. */
export async function issuersOfAction(
  tx: EntityManager,
  userId: string,
  action: ProvenEvent['action'],
): Promise<string[]> {
  const where = { subjectUserId: userId, action, outcome: 'OK' } as const;
  const select = { issuerSlug: true } as const;
  // the waiting ones first: one that is sealed meanwhile would otherwise be in neither table
  const events = [
    ...(await tx.find(UnsealedAuditEvent, { select, where })),
    ...(await tx.find(SealedAuditEvent, { select, where })),
  ];
  return events.flatMap(({ issuerSlug }) => issuerSlug ?? []);
}

export interface EventSubject {
  readonly userId: string;
  readonly first: Date;
  readonly last: Date;
}

/** Which subjects to read; omitted fields do not filter. */
type SubjectFilter = Pick<EventFilter, 'from' | 'to'> & { readonly userIds?: readonly string[] };

/** The users whose data the events of a time concern. */
export async function* subjectsBetween(
  tx: EntityManager,
  filter: SubjectFilter,
): AsyncGenerator<EventSubject> {
  // first: one that is sealed meanwhile would otherwise be in neither table
  const waiting = new Map<string, EventSubject>();
  for await (const subject of subjectsIn(tx, UnsealedAuditEvent, filter))
    waiting.set(subject.userId, subject);
  for await (const { userId, first, last } of subjectsIn(tx, SealedAuditEvent, filter)) {
    const later = waiting.get(userId);
    waiting.delete(userId);
    yield { userId, first, last: later && later.last > last ? later.last : last };
  }
  yield* waiting.values();
}

function subjectsIn(
  tx: EntityManager,
  entity: new () => ProvenEvent,
  { from, to, userIds }: SubjectFilter,
): AsyncGenerator<EventSubject> {
  return inBatches<EventSubject>((last) => {
    const events = tx
      .createQueryBuilder(entity, 'e')
      .select('e.subjectUserId', 'userId')
      .addSelect('min(e.occurredAt)', 'first')
      .addSelect('max(e.occurredAt)', 'last')
      .where('e.subjectUserId > :after', { after: last?.userId ?? NIL_UUID })
      .groupBy('e.subjectUserId')
      .orderBy('e.subjectUserId')
      .limit(BATCH);
    if (from !== undefined) events.andWhere('e.occurredAt >= :from', { from });
    if (to !== undefined) events.andWhere('e.occurredAt < :to', { to });
    if (userIds !== undefined) events.andWhere('e.subjectUserId = ANY(:userIds)', { userIds });
    return events.getRawMany<EventSubject>();
  });
}
