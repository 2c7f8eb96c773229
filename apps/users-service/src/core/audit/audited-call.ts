import { requestScope, withRequestScope } from '@fd/envelope';
import type { AuditAction } from './audit-actions.table.js';
import type { Actor } from './audit-event.js';

/** What is being done, and for whom: one call of a client, one round of a worker, one command. */
interface AuditedWork {
  actor: Actor;
  sessionId: string | null;
  /** What has been recorded of it so far. */
  readonly recorded: Set<AuditAction>;
}

declare module '@fd/envelope' {
  interface RequestScope {
    readonly audited?: AuditedWork;
  }
}

/** The actor of what is recorded outside of any call, worker or command. */
const NOBODY: Omit<AuditedWork, 'recorded'> = { actor: 'system:users-service', sessionId: null };

export const userActor = (userId: string): Actor => `user:${userId}`;

/** Runs a piece of work in somebody's name: a call's, a worker's or a command's. */
export function actingAs<T>(actor: Actor, work: () => T, sessionId: string | null = null): T {
  return withRequestScope({ audited: { actor, sessionId, recorded: new Set() } }, work);
}

/** Notes who makes a call that began without a session, once they have proved it. */
export function proveCaller(caller: { readonly userId: string; readonly sessionId: string }): void {
  const audited = requestScope()?.audited;
  if (!audited) return;
  audited.actor = userActor(caller.userId);
  audited.sessionId = caller.sessionId;
}

export function currentWork(): Pick<AuditedWork, 'actor' | 'sessionId'> {
  const { actor, sessionId } = requestScope()?.audited ?? NOBODY;
  return { actor, sessionId };
}

export function noteRecorded(action: AuditAction): void {
  requestScope()?.audited?.recorded.add(action);
}

/** Whether a feature has recorded an action in the transaction in which it was done. */
export function isRecorded(action: AuditAction): boolean {
  return requestScope()?.audited?.recorded.has(action) ?? false;
}
