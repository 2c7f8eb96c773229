import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { NamedKey } from '@fd/platform';
import type { AuditAction, AuditOutcome } from './audit-actions.table.js';

/** `user:ID`, `system:PART`, `operator:COMMAND`, or `unknown` for a caller with a stolen token. */
export type Actor = `user:${string}` | `system:${string}` | `operator:${string}` | 'unknown';

/** Who did what to whose data. Contains only ids and fixed words, because the event outlives the data. */
export interface AuditEvent {
  readonly id: string;
  /** By the clock of the replica, in milliseconds: it is part of the proof, so the database cannot fill it in. */
  readonly occurredAt: Date;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** Owner of the data; null if the action concerns no single user. */
  readonly subjectUserId: string | null;
  readonly outcome: AuditOutcome;
  /** Reason of a refusal: an error code or another fixed word. */
  readonly code: string | null;
  readonly issuerSlug: string | null;
  readonly objectId: string | null;
  readonly sessionId: string | null;
  readonly requestId: string | null;
}

/** An event with an HMAC by which the service wrote it. */
export interface ProvenEvent extends AuditEvent {
  readonly proof: string;
}

export interface SealedEvent extends ProvenEvent {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly sealedAt: Date;
  readonly hash: string;
}

/** The column of each field, in the order of the text that is signed: the order never changes. */
const COLUMNS = {
  id: 'id',
  occurredAt: 'occurred_at',
  actor: 'actor',
  action: 'action',
  subjectUserId: 'subject_user_id',
  outcome: 'outcome',
  code: 'code',
  issuerSlug: 'issuer_slug',
  objectId: 'object_id',
  sessionId: 'session_id',
  requestId: 'request_id',
} as const satisfies Readonly<Record<keyof AuditEvent, string>>;

export const AUDIT_FIELDS = Object.keys(COLUMNS) as (keyof AuditEvent)[];

/**
 * Returns the values of an event by column; as JSON they are the parameter of ADD_EVENT. An object literal, because an
 * object that grows column by column allocates three times as much.
 */
export function columnsOf(event: ProvenEvent): Record<(typeof COLUMNS)[keyof AuditEvent] | 'proof', unknown> {
  return {
    id: event.id,
    occurred_at: event.occurredAt,
    actor: event.actor,
    action: event.action,
    subject_user_id: event.subjectUserId,
    outcome: event.outcome,
    code: event.code,
    issuer_slug: event.issuerSlug,
    object_id: event.objectId,
    session_id: event.sessionId,
    request_id: event.requestId,
    proof: event.proof,
  };
}

/** Canonical text of an event, unique for each event: its values in the order of the columns. Times are ISO 8601. */
export function textOf(event: AuditEvent): string {
  const values: unknown[] = ['audit event 1'];
  for (const field of AUDIT_FIELDS) values.push(event[field]);
  return JSON.stringify(values);
}

export type MacCheck = 'right' | 'wrong' | 'unknown-key';

/** Keys of the audit trail: the first signs, all of them verify. */
export class AuditKeys {
  private readonly activeId: string;
  private readonly keys: ReadonlyMap<string, KeyObject>;

  /** @param keys at least one */
  constructor(keys: readonly NamedKey[]) {
    this.activeId = keys[0]!.id;
    this.keys = new Map(keys.map(({ id, bytes }) => [id, createSecretKey(bytes)]));
  }

  /** HMAC-SHA-256 of a text, as `keyId.hex`. Not base64: the log would take it for a token. */
  sign(text: string): string {
    return macOf(this.activeId, this.keys.get(this.activeId)!, text);
  }

  check(text: string, signed: string): MacCheck {
    const id = signed.slice(0, signed.indexOf('.'));
    const key = this.keys.get(id);
    if (!key) return 'unknown-key';
    // as texts, so that each value has one representation
    const [expected, given] = [Buffer.from(macOf(id, key, text)), Buffer.from(signed)];
    return given.length === expected.length && timingSafeEqual(given, expected) ? 'right' : 'wrong';
  }
}

function macOf(id: string, key: KeyObject, text: string): string {
  return `${id}.${createHmac('sha256', key).update(text).digest('hex')}`;
}
