import type { AuditAction, AuditOutcome } from './audit-actions.table.js';
import type { Actor, ProvenEvent, SealedEvent } from './audit-event.js';

/** Columns that say what happened: the same in both tables. */
export const EVENT_COLUMNS = `id, occurred_at, actor, action, subject_user_id, outcome, code, issuer_slug, object_id,
  session_id, request_id, proof`;

export interface EventRow {
  readonly id: string;
  readonly occurred_at: Date;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly subject_user_id: string | null;
  readonly outcome: AuditOutcome;
  readonly code: string | null;
  readonly issuer_slug: string | null;
  readonly object_id: string | null;
  readonly session_id: string | null;
  readonly request_id: string | null;
  readonly proof: string;
}

export interface SealedRow extends EventRow {
  /** The driver gives what may not fit into a number as text; events do not come to that many. */
  readonly seq: string;
  readonly sealed_at: Date;
  readonly hash: string;
}

export function eventOf(row: EventRow): ProvenEvent {
  return {
    id: row.id,
    occurredAt: row.occurred_at,
    actor: row.actor,
    action: row.action,
    subjectUserId: row.subject_user_id,
    outcome: row.outcome,
    code: row.code,
    issuerSlug: row.issuer_slug,
    objectId: row.object_id,
    sessionId: row.session_id,
    requestId: row.request_id,
    proof: row.proof,
  };
}

export function sealedEventOf(row: SealedRow): SealedEvent {
  return { ...eventOf(row), seq: Number(row.seq), sealedAt: row.sealed_at, hash: row.hash };
}
