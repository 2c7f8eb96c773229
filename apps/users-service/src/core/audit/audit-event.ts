import type { AuditAction, AuditOutcome } from './audit-actions.table.js';

/** Who does something: `user:ID`, `system:PART`, `operator:COMMAND`, or `unknown` for whoever has a stolen token. */
export type Actor = `user:${string}` | `system:${string}` | `operator:${string}` | 'unknown';

/** Who did what to whose data. Ids and words of ours only: it is kept when all that it tells of has been deleted. */
export interface AuditEvent {
  readonly id: string;
  /** By the clock of the replica, in milliseconds: it is part of the proof, so the database cannot fill it in. */
  readonly occurredAt: Date;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** User whose data it is; null for what concerns no single user. */
  readonly subjectUserId: string | null;
  readonly outcome: AuditOutcome;
  /** Why it was refused: an error code or another word of ours. */
  readonly code: string | null;
  readonly issuerSlug: string | null;
  readonly objectId: string | null;
  readonly sessionId: string | null;
  readonly requestId: string | null;
}

/** An event with the proof that the service wrote it. */
export interface ProvenEvent extends AuditEvent {
  readonly proof: string;
}

/** An event at its place in the chain. */
export interface SealedEvent extends ProvenEvent {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly sealedAt: Date;
  readonly hash: string;
}

/** What an event says, as one text: no two events have the same. */
export function textOf(event: AuditEvent): string {
  return JSON.stringify([
    'audit event 1',
    event.id,
    event.occurredAt.toISOString(),
    event.actor,
    event.action,
    event.subjectUserId,
    event.outcome,
    event.code,
    event.issuerSlug,
    event.objectId,
    event.sessionId,
    event.requestId,
  ]);
}

/**
 * Ids of requests that we, a gateway or a tracer makes: a UUID, or 32 hexadecimal digits. Whatever else a client sends
 * in its place may hold a phone, and nothing of the trail can be taken back.
 */
const MACHINE_MADE = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})$/i;

export function keptRequestId(requestId: string | undefined): string | null {
  return requestId !== undefined && MACHINE_MADE.test(requestId) ? requestId : null;
}
