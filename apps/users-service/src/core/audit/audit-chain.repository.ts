import { Injectable } from '@nestjs/common';
import { Clock, CommandError } from '@fd/platform';
import { EntityManager, MoreThanOrEqual } from 'typeorm';
import { checkpointAt, GENESIS, type Head, sealed } from './audit-chain.js';
import { AuditCheckpoint } from './audit-checkpoint.entity.js';
import { AuditKeys, type ProvenEvent, type SealedEvent } from './audit-event.js';
import { SealedAuditEvent, UnsealedAuditEvent } from './audit-event.entity.js';
import { sealedIdOf, selectedEvents } from './audit-reader.js';
import { LOCK_CHAIN, SEAL_EVENTS, TRY_LOCK_CHAIN } from './audit.queries.js';

/** Small enough for the statement limit. */
const SEAL_BATCH = 500;

export interface SealedBatch {
  readonly count: number;
  readonly isFull: boolean;
  /** Events that the service did not write. They are sealed unchanged, as evidence. */
  readonly forged: number;
  /** Genuine events of operators. */
  readonly byOperators: readonly ProvenEvent[];
  readonly head: Head;
}

/** Appends events to the chain, one replica at a time. */
@Injectable()
export class AuditChainRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly keys: AuditKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Seals waiting events, all or none: after a crash they wait again.
   * @returns undefined while another replica seals
   */
  async sealNext(): Promise<SealedBatch | undefined> {
    return this.alone(async (tx) => {
      const chained: SealedEvent[] = [];
      const genuine: ProvenEvent[] = [];
      const last = await headOf(tx);
      let head: Head = last;
      // times increase with numbers even if the clocks of replicas differ, so each partition holds a contiguous range
      const sealedAt = new Date(Math.max(this.clock.machineNow().getTime(), last.sealedAt?.getTime() ?? 0));
      const waiting = await waitingEvents(tx, sealedAt);
      for (const event of waiting) {
        const next = sealed(this.keys, head, event, sealedAt);
        chained.push(next.event);
        if (next.isGenuine) genuine.push(event);
        head = next.event;
      }
      if (chained.length > 0) await move(tx, chained);
      const byOperators = genuine.filter(({ actor }) => actor.startsWith('operator:'));
      const { length: count } = waiting;
      return { count, isFull: count === SEAL_BATCH, forged: count - genuine.length, byOperators, head };
    });
  }

  /** Time of the oldest waiting event; undefined if none waits. */
  async oldestWaiting(): Promise<Date | undefined> {
    // ids are ordered by time
    const [oldest] = await this.manager.find(UnsealedAuditEvent, {
      select: { id: true, occurredAt: true },
      order: { id: 'ASC' },
      take: 1,
    });
    return oldest?.occurredAt;
  }

  private async alone<T>(work: (tx: EntityManager) => Promise<T>): Promise<T | undefined> {
    return this.manager.transaction(async (tx) => {
      const [lock] = await TRY_LOCK_CHAIN.rows(tx, {});
      return lock!.isLocked ? work(tx) : undefined;
    });
  }
}

/** The last event, or its checkpoint if the event was in a dropped partition. */
async function headOf(tx: EntityManager): Promise<Head & { readonly sealedAt: Date | null }> {
  const latest = { order: { seq: 'DESC' }, take: 1 } as const;
  const [[event], [checkpoint]] = await Promise.all([
    tx.find(SealedAuditEvent, { select: { seq: true, hash: true, sealedAt: true }, ...latest }),
    tx.find(AuditCheckpoint, { select: { seq: true, hash: true }, ...latest }),
  ]);
  if (event && Number(event.seq) >= Number(checkpoint?.seq ?? 0))
    return { seq: Number(event.seq), hash: event.hash, sealedAt: event.sealedAt };
  return checkpoint
    ? { seq: Number(checkpoint.seq), hash: checkpoint.hash, sealedAt: null }
    : { ...GENESIS, sealedAt: null };
}

/**
 * Events that reuse a sealed id, or have a time before our era or an infinite one, are forged and stay here as
 * evidence: the function that seals cannot subtract from the earliest time. An event with a future time, from a replica
 * with a wrong clock, waits for its time and must not delay others.
 */
async function waitingEvents(tx: EntityManager, sealedAt: Date): Promise<ProvenEvent[]> {
  const events = selectedEvents(tx, UnsealedAuditEvent);
  return events
    .where(`${sealedIdOf(events)} IS NULL`)
    .andWhere("e.occurredAt BETWEEN '0001-01-01Z' AND CAST(:sealedAt AS timestamptz) + interval '5 minutes'")
    .setParameters({ sealedAt })
    .orderBy('e.id')
    .limit(SEAL_BATCH)
    .getRawMany<ProvenEvent>();
}

async function move(tx: EntityManager, events: readonly SealedEvent[]): Promise<void> {
  await SEAL_EVENTS.run(tx, {
    ids: events.map(({ id }) => id),
    seqs: events.map(({ seq }) => String(seq)),
    hashes: events.map(({ hash }) => hash),
    sealedAt: events[0]!.sealedAt,
  });
}

/**
 * Writes a checkpoint for a partition before it is dropped, so that the remaining chain can be verified.
 * @throws CommandError if the partition is not the beginning of the chain
 */
export async function leaveCheckpoint(
  tx: EntityManager,
  keys: AuditKeys,
  { name, endsAt }: { readonly name: string; readonly endsAt: Date | null },
): Promise<void> {
  await LOCK_CHAIN.run(tx, {});
  const [last] = await tx.query<Head[]>(
    `SELECT seq::float8 AS seq, hash FROM onboarding.${name} ORDER BY seq DESC LIMIT 1`,
  );
  if (!last) return;
  const [next] = await tx.find(SealedAuditEvent, {
    select: { seq: true },
    where: { sealedAt: MoreThanOrEqual(endsAt!) },
    order: { seq: 'ASC' },
    take: 1,
  });
  if (next && Number(next.seq) <= last.seq)
    throw new CommandError(`${name} is not the beginning of the audit trail: event ${next.seq} is not in it`);
  const { seq, hash, proof } = checkpointAt(keys, last);
  await tx.insert(AuditCheckpoint, { seq: String(seq), hash, proof });
}
