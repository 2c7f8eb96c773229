import { Injectable } from '@nestjs/common';
import { addToRequestScope, requestScope, withRequestScope } from '@fd/envelope';
import { Clock, currentRequestId, type Queryable } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import type { AuditAction, AuditOutcome } from './audit-actions.table.js';
import { CallsOfUsers } from '../caller/calls-of-users.js';
import { RecentReads } from './recent-reads.js';
import { type Actor, type AuditEvent, AuditKeys, auditRow, columnsOf, textOf } from './audit-event.js';

/** What is being done, and for whom: one call of a client, one round of a worker, one command. */
interface AuditedWork {
  actor: Actor;
  sessionId: string | null;
  /** What has been recorded of it so far, and when. */
  readonly recorded: Map<AuditAction, Date>;
}

declare module '@fd/envelope' {
  interface RequestScope {
    readonly audited?: AuditedWork;
  }
}

const currentWork = (): AuditedWork | undefined => requestScope()?.audited;

export const userActor = (userId: string): Actor => `user:${userId}`;

/** Runs work in the name of a worker or a command. */
export function actingAs<T>(actor: Actor, work: () => T): T {
  return withRequestScope({ audited: { actor, sessionId: null, recorded: new Map() } }, work);
}

/** Notes in whose name the request is served from now on. */
export function beginCall(actor: Actor, sessionId: string | null = null): void {
  addToRequestScope({ audited: { actor, sessionId, recorded: new Map() } });
}

/** Notes who makes a call that began without a session, once they have proved it. */
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

/** Whether a feature has recorded an action in the transaction in which it was done. */
export function isRecorded(action: AuditAction): boolean {
  return currentWork()?.recorded.has(action) ?? false;
}

/** What is recorded of something that was done; who did it follows from the call, the worker or the command. */
export interface AuditEntry {
  readonly action: AuditAction;
  /** User whose data it is. */
  readonly subject?: string;
  /** OK by default. */
  readonly outcome?: AuditOutcome;
  readonly code?: string | null;
  /** Slug. */
  readonly issuer?: string;
  /** UUID of the record that it is about. */
  readonly object?: string;
}

/** Reads that are recorded of one caller in a day at each replica, one for each session and minute: some 500 bytes each. */
const MAX_READS_PER_DAY = 2_000;

/**
 * Records who did what to whose data. Events are added side by side, so that no transaction waits for another; the sealer
 * puts them into the chain a moment later.
 */
@Injectable()
export class AuditTrail {
  private readonly ofSessions = new RecentReads(60_000);
  /** Of callers who have used up their day, whatever their sessions. */
  private readonly ofCallers = new RecentReads(3_600_000);
  private readonly reads = new CallsOfUsers(MAX_READS_PER_DAY);

  constructor(
    private readonly keys: AuditKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Records an action in the transaction of what was done. A transaction that is rolled back afterwards must end in an
   * error: a call that succeeds counts what it recorded.
   */
  async record(connection: Pick<Queryable, 'query'>, entry: AuditEntry): Promise<void> {
    await connection.query(`INSERT INTO onboarding.audit_unsealed SELECT * FROM ${auditRow('$1')}`, [
      this.rowOf(entry),
    ]);
  }

  /** The row of an action, for a statement that writes it together with what was done: see `auditRow`. */
  rowOf(entry: AuditEntry): string {
    const event = this.eventOf(entry);
    currentWork()?.recorded.set(entry.action, event.occurredAt);
    return JSON.stringify(columnsOf({ ...event, proof: this.keys.sign(textOf(event)) }));
  }

  /** As `rowOf`, for a read; null when it needs no record. */
  rowOfRead(entry: AuditEntry): string | null {
    return this.isKnown(entry) ? null : this.rowOf(entry);
  }

  /**
   * Whether an action that changes nothing needs no record: the session has done the same within the last minute with the same
   * outcome, or the caller within the last hour, once they have used up their day, and this replica has recorded that. The
   * call counts as recorded then.
   */
  isKnown(entry: AuditEntry): boolean {
    const nowMs = this.clock.now().getTime();
    const { known, read } = this.repeatsOf(entry, nowMs);
    const recordedAt = known.find(read, nowMs);
    if (recordedAt === undefined) return false;
    currentWork()?.recorded.set(entry.action, new Date(recordedAt));
    return true;
  }

  /** Lets a recorded action stand for its repeats. Only once it is written: before, another call must not rely on it. */
  keepRepeatable(entry: AuditEntry): void {
    const { actor, recorded } = currentWork() ?? {};
    const atMs = recorded?.get(entry.action)?.getTime();
    if (actor === undefined || atMs === undefined) return;
    const { known, read } = this.repeatsOf(entry, atMs);
    // a record that stands for this call, too
    if (known.find(read, atMs) === atMs) return;
    known.add(read, atMs);
    this.reads.count(actor, atMs);
  }

  /** Where the repeats of an action are looked for, and as what. */
  private repeatsOf(entry: AuditEntry, nowMs: number): { known: RecentReads; read: string } {
    const { actor, sessionId } = currentWork() ?? {};
    const isSpent = actor !== undefined && this.reads.secondsUntilNext(actor, nowMs) > 0;
    return isSpent
      ? { known: this.ofCallers, read: readOf(actor, entry) }
      : { known: this.ofSessions, read: readOf(sessionId, entry) };
  }

  private eventOf({ action, subject, outcome = 'OK', code, issuer, object }: AuditEntry): AuditEvent {
    const work = currentWork();
    return {
      id: uuidv7(),
      occurredAt: this.clock.now(),
      // outside of any call, worker or command
      actor: work?.actor ?? 'system:users-service',
      sessionId: work?.sessionId ?? null,
      action,
      subjectUserId: subject?.toLowerCase() ?? null,
      outcome,
      code: code ?? null,
      issuerSlug: issuer ?? null,
      objectId: object?.toLowerCase() ?? null,
      requestId: currentRequestId()?.toLowerCase() ?? null,
    };
  }
}

/** What makes two actions the same. Of what is refused, the id is the client's own: any number of them is one. */
function readOf(
  caller: string | null | undefined,
  { action, subject, outcome = 'OK', code, issuer, object }: AuditEntry,
): string {
  const known = outcome === 'OK' || outcome === 'REPEATED' ? object : undefined;
  return JSON.stringify([caller, action, subject, outcome, code, issuer, known]);
}
