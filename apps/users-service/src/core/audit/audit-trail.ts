import { Injectable } from '@nestjs/common';
import { addToRequestStore, type RequestStore, requestStore, withRequestStore } from '@fd/envelope';
import { Clock } from '@fd/platform';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { AuditAction, AuditOutcome } from './audit-actions.table.js';
import { CallsOfUsers } from '../caller/calls-of-users.js';
import { type Actor, type AuditEvent, AuditKeys, columnsOf, textOf } from './audit-event.js';
import { ADD_EVENT } from './audit.queries.js';

/** The unit of work: one call of a client, one round of a worker, or one command. */
interface AuditedWork {
  actor: Actor;
  sessionId: string | null;
  readonly recorded: Map<AuditAction, Date>;
}

interface AuditStore extends RequestStore {
  readonly audited?: AuditedWork;
}

const currentWork = (): AuditedWork | undefined => requestStore<AuditStore>()?.audited;

export const userActor = (userId: string): Actor => `user:${userId}`;

/** Runs work with a worker or a command as the actor. */
export function actingAs<T>(actor: Actor, work: () => T): T {
  const audited = { actor, sessionId: null, recorded: new Map() };
  return withRequestStore<T, AuditStore>({ audited }, work);
}

export function beginCall(actor: Actor, sessionId: string | null = null): void {
  addToRequestStore<AuditStore>({ audited: { actor, sessionId, recorded: new Map() } });
}

/** Sets the user of a call without a session once the user is proved. */
export function proveCaller({
  userId,
  sessionId,
}: {
  readonly userId: string;
  readonly sessionId: string;
}): void {
  const work = currentWork();
  if (work) Object.assign(work, { actor: userActor(userId), sessionId });
}

/** Whether a feature has recorded the action in its own transaction. */
export function isRecorded(action: AuditAction): boolean {
  return currentWork()?.recorded.has(action) ?? false;
}

/** An action to record; the actor comes from the call, the worker or the command. */
export interface AuditEntry {
  readonly action: AuditAction;
  /** Owner of the data. */
  readonly subject?: string;
  readonly outcome?: AuditOutcome;
  readonly code?: string | null;
  /** Slug. */
  readonly issuer?: string;
  /** UUID of the record concerned. */
  readonly object?: string;
}

/** A few megabytes. An evicted read is recorded again. */
const MAX_READS = 20_000;

/** Recently recorded reads of this replica, the oldest first. */
export class RecentReads {
  private readonly recordedAt = new Map<string, number>();

  /** @param coversMs how long one record covers repeated reads */
  constructor(private readonly coversMs: number) {}

  /** Returns the time of the record that covers a read; undefined without one. */
  find(read: string, nowMs: number): number | undefined {
    const recordedAt = this.recordedAt.get(read);
    return recordedAt !== undefined && this.isRecent(recordedAt, nowMs) ? recordedAt : undefined;
  }

  add(read: string, recordedAtMs: number): void {
    this.recordedAt.delete(read);
    for (const [oldest, at] of this.recordedAt) {
      if (this.isRecent(at, recordedAtMs) && this.recordedAt.size < MAX_READS) break;
      this.recordedAt.delete(oldest);
    }
    this.recordedAt.set(read, recordedAtMs);
  }

  /** False also when the clock was set back. */
  private isRecent(atMs: number, nowMs: number): boolean {
    return nowMs >= atMs && nowMs - atMs < this.coversMs;
  }
}

/** Recorded reads of one caller, by day and replica: one for each session and minute, some 500 bytes each. */
const MAX_READS_PER_DAY = 2_000;

/**
 * Records who did what to whose data. Events are inserted without ordering, so that transactions do not wait for each
 * other; the sealer appends them to the chain a moment later.
 */
@Injectable()
export class AuditTrail {
  private readonly ofSessions = new RecentReads(60_000);
  /** Of callers over their daily number, across sessions. */
  private readonly ofCallers = new RecentReads(3_600_000);
  private readonly reads = new CallsOfUsers(MAX_READS_PER_DAY);

  constructor(
    private readonly keys: AuditKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Records an action in the transaction that performs it. A call whose transaction rolls back must fail: success means
   * that the event was recorded.
   */
  async record(tx: EntityManager, entry: AuditEntry): Promise<void> {
    await ADD_EVENT.run(tx, { event: this.rowOf(entry) });
  }

  private rowOf(entry: AuditEntry): string {
    const event = this.eventOf(entry);
    currentWork()?.recorded.set(entry.action, event.occurredAt);
    return JSON.stringify(columnsOf({ ...event, proof: this.keys.sign(textOf(event)) }));
  }

  /**
   * Whether an unchanged repeat needs no record: this replica has recorded the same action and outcome of the session
   * within the last minute, or of the caller within the last hour if the caller is over the daily number. The call then
   * counts as recorded.
   */
  isKnown(entry: AuditEntry): boolean {
    const nowMs = this.clock.machineNow().getTime();
    const { known, read } = this.repeatsOf(entry, nowMs);
    const recordedAt = known.find(read, nowMs);
    if (recordedAt === undefined) return false;
    currentWork()?.recorded.set(entry.action, new Date(recordedAt));
    return true;
  }

  /** Lets repeats rely on a recorded action. Call it after the commit, because before that the record may still be lost. */
  keepRepeatable(entry: AuditEntry): void {
    const { actor, recorded } = currentWork() ?? {};
    const atMs = recorded?.get(entry.action)?.getTime();
    if (actor === undefined || atMs === undefined) return;
    const { known, read } = this.repeatsOf(entry, atMs);
    // the earlier record covers this call
    if (known.find(read, atMs) === atMs) return;
    known.add(read, atMs);
    this.reads.count(actor, atMs);
  }

  /** The store of repeats and the key in it. */
  private repeatsOf(entry: AuditEntry, nowMs: number): { known: RecentReads; read: string } {
    const { actor, sessionId } = currentWork() ?? {};
    const isOverLimit = actor !== undefined && this.reads.secondsUntilNext(actor, nowMs) > 0;
    return isOverLimit
      ? { known: this.ofCallers, read: readOf(actor, entry) }
      : { known: this.ofSessions, read: readOf(sessionId, entry) };
  }

  private eventOf({ action, subject, outcome = 'OK', code, issuer, object }: AuditEntry): AuditEvent {
    const work = currentWork();
    return {
      id: uuidv7(),
      occurredAt: this.clock.machineNow(),
      // outside of any call, worker or command
      actor: work?.actor ?? 'system:users-service',
      sessionId: work?.sessionId ?? null,
      action,
      subjectUserId: subject?.toLowerCase() ?? null,
      outcome,
      code: code ?? null,
      issuerSlug: issuer ?? null,
      objectId: object?.toLowerCase() ?? null,
      requestId: requestStore()?.requestId?.toLowerCase() ?? null,
    };
  }
}

/** The identity of an action. A refused call has an id chosen by the client, so the id does not count. */
function readOf(
  caller: string | null | undefined,
  { action, subject, outcome = 'OK', code, issuer, object }: AuditEntry,
): string {
  const known = outcome === 'OK' || outcome === 'REPEATED' ? object : undefined;
  return JSON.stringify([caller, action, subject, outcome, code, issuer, known]);
}
