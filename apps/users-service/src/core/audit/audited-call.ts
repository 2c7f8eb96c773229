import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditAction } from './audit-actions.table.js';
import type { Actor } from './audit-event.js';

/** What is being done, and for whom: one call of a client, one round of a worker, one command. */
interface AuditedWork {
  actor: Actor;
  sessionId: string | null;
  /** What has been recorded of it so far. */
  readonly recorded: Set<AuditAction>;
}

const storage = new AsyncLocalStorage<AuditedWork>();

/** What is recorded outside of any call, worker or command. */
const NOBODY: Omit<AuditedWork, 'recorded'> = { actor: 'system:users-service', sessionId: null };

export const userActor = (userId: string): Actor => `user:${userId}`;

/** Runs a piece of work in somebody's name. */
export function actingAs<T>(actor: Actor, work: () => T, sessionId: string | null = null): T {
  return storage.run({ actor, sessionId, recorded: new Set() }, work);
}

/** Tells who makes a call that began without a session, once they have proved it. */
export function proveCaller(caller: { readonly userId: string; readonly sessionId: string }): void {
  const work = storage.getStore();
  if (!work) return;
  work.actor = userActor(caller.userId);
  work.sessionId = caller.sessionId;
}

export function currentWork(): Pick<AuditedWork, 'actor' | 'sessionId'> {
  return storage.getStore() ?? NOBODY;
}

export function noteRecorded(action: AuditAction): void {
  storage.getStore()?.recorded.add(action);
}

/** Whether a feature has recorded an action in the transaction in which it was done. */
export function isRecorded(action: AuditAction): boolean {
  return storage.getStore()?.recorded.has(action) ?? false;
}
