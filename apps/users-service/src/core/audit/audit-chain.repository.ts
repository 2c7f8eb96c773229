import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { ProvenEvent, SealedEvent } from './audit-event.js';
import { AuditKeys } from './audit-keys.js';
import { EVENT_COLUMNS, eventOf, type EventRow } from './audit-rows.js';
import { AUDIT_RETENTION_DAYS, SEAL_BATCH } from './audit.policy.js';
import { checkpointAt, GENESIS, type Head, proofOf, sealed } from './chain.js';

/** Any number, as long as all replicas agree: the key of the lock behind which the chain changes. */
const LOCK_KEY = 7_402_001;

const PURGE_BATCH = 1_000;

/** What a round of sealing came to. */
export interface SealedBatch {
  readonly count: number;
  /** Events that the service did not write. They are sealed as they are found, since they are evidence. */
  readonly forged: number;
  readonly head: Head;
}

/** Puts events into the chain, and takes those away whose time is over. Only one replica at a time does either. */
@Injectable()
export class AuditChainRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly keys: AuditKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Seals events that wait, all or none: a crash leaves them waiting.
   * @returns undefined when another replica is at it
   */
  async sealNext(): Promise<SealedBatch | undefined> {
    return this.alone(async (manager) => {
      const head = await headOf(manager);
      const waiting = await waitingEvents(manager);
      const chained = this.chain(head, waiting);
      if (chained.length > 0) await move(manager, chained);
      const forged = waiting.filter((event) => proofOf(this.keys, event) !== 'right').length;
      return { count: chained.length, forged, head: chained.at(-1) ?? head };
    });
  }

  /** When the event that waits longest happened; undefined when none does. */
  async oldestWaiting(): Promise<Date | undefined> {
    // ids are made in the order of time
    const [row] = await this.dataSource.query<{ occurred_at: Date }[]>(
      'SELECT occurred_at FROM onboarding.audit_unsealed ORDER BY id LIMIT 1',
    );
    return row?.occurred_at;
  }

  /**
   * Deletes events from the beginning of the chain that have been kept for long enough, and leaves a checkpoint, with
   * which the rest can be checked.
   * @returns how many were deleted
   */
  async purgeOld(): Promise<number> {
    const deleted = await this.alone(async (manager) => {
      const last = await lastOld(manager);
      if (!last) return 0;
      const { seq, hash, proof } = checkpointAt(this.keys, last);
      await manager.query('INSERT INTO onboarding.audit_checkpoints (seq, hash, proof) VALUES ($1, $2, $3)', [
        seq,
        hash,
        proof,
      ]);
      const [, count] = await manager.query<[unknown, number]>(
        'DELETE FROM onboarding.audit_events WHERE seq <= $1',
        [seq],
      );
      return count;
    });
    return deleted ?? 0;
  }

  private chain(head: Head, events: readonly ProvenEvent[]): SealedEvent[] {
    const sealedAt = this.clock.now();
    const chained: SealedEvent[] = [];
    for (const event of events) {
      chained.push(sealed(this.keys, chained.at(-1) ?? head, event, sealedAt));
    }
    return chained;
  }

  private async alone<T>(work: (manager: EntityManager) => Promise<T>): Promise<T | undefined> {
    return this.dataSource.transaction(async (manager) => {
      const [{ locked }] = await manager.query<[{ locked: boolean }]>(
        'SELECT pg_try_advisory_xact_lock($1) AS locked',
        [LOCK_KEY],
      );
      return locked ? work(manager) : undefined;
    });
  }
}

/** The last event, or what is known of it when it has been removed as the last one of its time. */
async function headOf(manager: EntityManager): Promise<Head> {
  const [row] = await manager.query<{ seq: string; hash: string }[]>(
    `(SELECT seq, hash FROM onboarding.audit_events ORDER BY seq DESC LIMIT 1)
     UNION ALL (SELECT seq, hash FROM onboarding.audit_checkpoints ORDER BY seq DESC LIMIT 1)
     ORDER BY seq DESC LIMIT 1`,
  );
  return row ? { seq: Number(row.seq), hash: row.hash } : GENESIS;
}

/**
 * What bears the id of a sealed event was put there by somebody: it stays where it is, for who checks. Looked up one by
 * one: a join might read all of the chain each time.
 */
async function waitingEvents(manager: EntityManager): Promise<ProvenEvent[]> {
  const rows = await manager.query<EventRow[]>(
    `SELECT ${EVENT_COLUMNS} FROM onboarding.audit_unsealed u
      WHERE (SELECT e.seq FROM onboarding.audit_events e WHERE e.id = u.id) IS NULL
      ORDER BY id LIMIT $1`,
    [SEAL_BATCH],
  );
  return rows.map(eventOf);
}

async function move(manager: EntityManager, events: readonly SealedEvent[]): Promise<void> {
  const ids = events.map(({ id }) => id);
  await manager.query(
    `INSERT INTO onboarding.audit_events (seq, ${EVENT_COLUMNS}, sealed_at, hash)
     SELECT s.seq, ${EVENT_COLUMNS}, $4, s.hash
       FROM unnest($1::uuid[], $2::bigint[], $3::text[]) AS s (id, seq, hash)
       JOIN onboarding.audit_unsealed USING (id)`,
    [ids, events.map(({ seq }) => seq), events.map(({ hash }) => hash), events[0]!.sealedAt],
  );
  await manager.query('DELETE FROM onboarding.audit_unsealed WHERE id = ANY ($1)', [ids]);
}

/** The last event of those at the beginning of the chain that may go. */
async function lastOld(manager: EntityManager): Promise<Head | undefined> {
  const [row] = await manager.query<{ seq: string; hash: string }[]>(
    `WITH first AS (
       SELECT seq, hash, sealed_at < now() - make_interval(days => $1) AS is_old
         FROM onboarding.audit_events ORDER BY seq LIMIT $2)
     SELECT seq, hash FROM first
      WHERE seq < coalesce((SELECT min(seq) FROM first WHERE NOT is_old), 'Infinity'::numeric)
      ORDER BY seq DESC LIMIT 1`,
    [AUDIT_RETENTION_DAYS, PURGE_BATCH],
  );
  return row && { seq: Number(row.seq), hash: row.hash };
}
