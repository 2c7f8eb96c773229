import { Injectable } from '@nestjs/common';
import { Clock, CommandError, Database, type Transaction } from '@fd/platform';
import { checkpointAt, GENESIS, type Head, sealed } from './audit-chain.js';
import { AuditKeys, type ProvenEvent, type SealedEvent, SELECTED_EVENT } from './audit-event.js';

/** Key of the advisory lock under which the chain changes. Any number that all replicas share. */
const LOCK_KEY = 7_402_001;

/** Small enough for the statement limit. */
const SEAL_BATCH = 500;

/** Result of one sealing round. */
export interface SealedBatch {
  readonly count: number;
  /** Whether more events may wait. */
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
    private readonly database: Database,
    private readonly keys: AuditKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Seals waiting events, all or none: after a crash they wait again.
   * @returns undefined while another replica seals
   */
  async sealNext(): Promise<SealedBatch | undefined> {
    return this.alone(async (transaction) => {
      const chained: SealedEvent[] = [];
      const genuine: ProvenEvent[] = [];
      const last = await headOf(transaction);
      let head: Head = last;
      // times increase with numbers even if the clocks of replicas differ, so each partition holds a contiguous range
      const sealedAt = new Date(Math.max(this.clock.machineNow().getTime(), last.sealedAt?.getTime() ?? 0));
      const waiting = await waitingEvents(transaction, sealedAt);
      for (const event of waiting) {
        const next = sealed(this.keys, head, event, sealedAt);
        chained.push(next.event);
        if (next.isGenuine) genuine.push(event);
        head = next.event;
      }
      if (chained.length > 0) await move(transaction, chained);
      const byOperators = genuine.filter(({ actor }) => actor.startsWith('operator:'));
      const { length: count } = waiting;
      return { count, isFull: count === SEAL_BATCH, forged: count - genuine.length, byOperators, head };
    });
  }

  /** Time of the oldest waiting event; undefined if none waits. */
  async oldestWaiting(): Promise<Date | undefined> {
    // ids are ordered by time
    const [row] = await this.database.query<{ occurred_at: Date }[]>(
      'SELECT occurred_at FROM onboarding.audit_unsealed ORDER BY id LIMIT 1',
    );
    return row?.occurred_at;
  }

  private async alone<T>(work: (transaction: Transaction) => Promise<T>): Promise<T | undefined> {
    return this.database.transaction(async (transaction) => {
      const [{ locked }] = await transaction.query<[{ locked: boolean }]>(
        'SELECT pg_try_advisory_xact_lock($1) AS locked',
        [LOCK_KEY],
      );
      return locked ? work(transaction) : undefined;
    });
  }
}

/** The last event, or its checkpoint if the event was in a dropped partition. */
async function headOf(transaction: Transaction): Promise<Head & { readonly sealedAt: Date | null }> {
  const [head] = await transaction.query<(Head & { sealedAt: Date | null })[]>(
    `SELECT seq::float8 AS seq, hash, sealed_at AS "sealedAt" FROM (
       (SELECT seq, hash, sealed_at FROM onboarding.audit_events ORDER BY seq DESC LIMIT 1)
       UNION ALL (SELECT seq, hash, NULL FROM onboarding.audit_checkpoints ORDER BY seq DESC LIMIT 1)) heads
     ORDER BY heads.seq DESC LIMIT 1`,
  );
  return head ?? { ...GENESIS, sealedAt: null };
}

/**
 * Events that reuse a sealed id, or have a time before our era or an infinite one, are forged and stay here as
 * evidence: the function that seals cannot subtract from the earliest time. An event with a future time, from a replica
 * with a wrong clock, waits for its time and must not delay others. Ids are looked up one by one, because a join might
 * scan the whole chain.
 */
async function waitingEvents(transaction: Transaction, sealedAt: Date): Promise<ProvenEvent[]> {
  return transaction.query(
    `SELECT ${SELECTED_EVENT} FROM onboarding.audit_unsealed u
      WHERE (SELECT e.seq FROM onboarding.audit_events e WHERE e.id = u.id) IS NULL
        AND u.occurred_at BETWEEN '0001-01-01Z' AND $2::timestamptz + interval '5 minutes'
      ORDER BY id LIMIT $1`,
    [SEAL_BATCH, sealedAt],
  );
}

/** Calls functions of the owner; only the owner may move or delete events. See docs/adr/0026-two-roles-of-the-database.md. */
async function move(transaction: Transaction, events: readonly SealedEvent[]): Promise<void> {
  await transaction.query('SELECT onboarding.seal_audit_events($1, $2, $3, $4)', [
    events.map(({ id }) => id),
    events.map(({ seq }) => seq),
    events.map(({ hash }) => hash),
    events[0]!.sealedAt,
  ]);
}

/**
 * Writes a checkpoint for a partition before it is dropped, so that the remaining chain can be verified.
 * @throws CommandError if the partition is not the beginning of the chain
 */
export async function leaveCheckpoint(
  transaction: Transaction,
  keys: AuditKeys,
  { name, endsAt }: { readonly name: string; readonly endsAt: Date | null },
): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
  const [last] = await transaction.query<Head[]>(
    `SELECT seq::float8 AS seq, hash FROM onboarding.${name} ORDER BY seq DESC LIMIT 1`,
  );
  if (!last) return;
  const [{ next }] = await transaction.query<[{ next: number | null }]>(
    'SELECT min(seq)::float8 AS next FROM onboarding.audit_events WHERE sealed_at >= $1',
    [endsAt],
  );
  if (next !== null && next <= last.seq)
    throw new CommandError(`${name} is not the beginning of the audit trail: event ${next} is not in it`);
  const { seq, hash, proof } = checkpointAt(keys, last);
  await transaction.query('INSERT INTO onboarding.audit_checkpoints (seq, hash, proof) VALUES ($1, $2, $3)', [
    seq,
    hash,
    proof,
  ]);
}
