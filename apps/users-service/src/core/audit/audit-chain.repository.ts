import { Injectable } from '@nestjs/common';
import { Clock, Database, type Transaction } from '@fd/platform';
import { checkpointAt, GENESIS, type Head, proofOf, sealed } from './audit-chain.js';
import { AuditKeys, type ProvenEvent, type SealedEvent, SELECTED_EVENT } from './audit-event.js';

/** How long events are kept; the table refuses to delete them earlier. The law asks for a year. */
export const AUDIT_RETENTION_DAYS = 400;

/** Any number, as long as all replicas agree: the key of the lock behind which the chain changes. */
const LOCK_KEY = 7_402_001;

/** Few enough to stay within the limits of a query. */
const SEAL_BATCH = 500;
const PURGE_BATCH = 1_000;

/** What a round of sealing came to. */
export interface SealedBatch {
  readonly count: number;
  /** Whether there may be more to seal. */
  readonly isFull: boolean;
  /** Events that the service did not write. They are sealed as they are found, since they are evidence. */
  readonly forged: number;
  readonly head: Head;
}

/** Puts events into the chain, and deletes old ones. Only one replica at a time does either. */
@Injectable()
export class AuditChainRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: AuditKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Seals events that wait, all or none: a crash leaves them waiting.
   * @returns undefined when another replica is at it
   */
  async sealNext(): Promise<SealedBatch | undefined> {
    return this.alone(async (transaction) => {
      const waiting = await waitingEvents(transaction);
      const sealedAt = this.clock.now();
      const chained: SealedEvent[] = [];
      let head = await headOf(transaction);
      for (const event of waiting) {
        const next = sealed(this.keys, head, event, sealedAt);
        chained.push(next);
        head = next;
      }
      if (chained.length > 0) await move(transaction, chained);
      const forged = waiting.filter((event) => proofOf(this.keys, event) !== 'right').length;
      return { count: waiting.length, isFull: waiting.length === SEAL_BATCH, forged, head };
    });
  }

  /** When the event that waits longest happened; undefined when none does. */
  async oldestWaiting(): Promise<Date | undefined> {
    // ids are made in the order of time
    const [row] = await this.database.query<{ occurred_at: Date }[]>(
      'SELECT occurred_at FROM onboarding.audit_unsealed ORDER BY id LIMIT 1',
    );
    return row?.occurred_at;
  }

  /**
   * Deletes old events from the beginning of the chain, and leaves a checkpoint, with which the rest can be checked.
   * @returns how many were deleted
   */
  async purgeOld(): Promise<number> {
    const deleted = await this.alone(async (transaction) => {
      const last = await lastOld(transaction);
      if (!last) return 0;
      const { seq, proof } = checkpointAt(this.keys, last);
      const [{ deleted }] = await transaction.query<[{ deleted: number }]>(
        'SELECT onboarding.purge_audit_events($1, $2)::int AS deleted',
        [seq, proof],
      );
      return deleted;
    });
    return deleted ?? 0;
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

/** The last event, or what is known of it when it has been removed as the last one of its time. */
async function headOf(transaction: Transaction): Promise<Head> {
  const [head] = await transaction.query<Head[]>(
    `SELECT seq::float8 AS seq, hash FROM (
       (SELECT seq, hash FROM onboarding.audit_events ORDER BY seq DESC LIMIT 1)
       UNION ALL (SELECT seq, hash FROM onboarding.audit_checkpoints ORDER BY seq DESC LIMIT 1)) heads
     ORDER BY heads.seq DESC LIMIT 1`,
  );
  return head ?? GENESIS;
}

/**
 * An event with the id of a sealed one is forged: it stays here as evidence. Looked up one by one, since a join might read
 * all of the chain each time.
 */
async function waitingEvents(transaction: Transaction): Promise<ProvenEvent[]> {
  return transaction.query(
    `SELECT ${SELECTED_EVENT} FROM onboarding.audit_unsealed u
      WHERE (SELECT e.seq FROM onboarding.audit_events e WHERE e.id = u.id) IS NULL
      ORDER BY id LIMIT $1`,
    [SEAL_BATCH],
  );
}

/** By functions of the owner, as whom alone events can be moved or deleted: see docs/adr/0026-two-roles-of-the-database.md. */
async function move(transaction: Transaction, events: readonly SealedEvent[]): Promise<void> {
  await transaction.query('SELECT onboarding.seal_audit_events($1, $2, $3, $4)', [
    events.map(({ id }) => id),
    events.map(({ seq }) => seq),
    events.map(({ hash }) => hash),
    events[0]!.sealedAt,
  ]);
}

/** The last event of those at the beginning of the chain that may go. */
async function lastOld(transaction: Transaction): Promise<Head | undefined> {
  const [head] = await transaction.query<Head[]>(
    `WITH first AS (
       SELECT seq, hash, sealed_at < now() - make_interval(days => $1) AS is_old
         FROM onboarding.audit_events ORDER BY seq LIMIT $2)
     SELECT seq::float8 AS seq, hash FROM first
      WHERE seq < coalesce((SELECT min(seq) FROM first WHERE NOT is_old), 'Infinity'::numeric)
      ORDER BY first.seq DESC LIMIT 1`,
    [AUDIT_RETENTION_DAYS, PURGE_BATCH],
  );
  return head;
}
