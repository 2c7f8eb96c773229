import { Injectable } from '@nestjs/common';
import { Clock, currentRequestId } from '@fd/platform';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { AuditAction, AuditOutcome } from './audit-actions.table.js';
import { type AuditEvent, keptRequestId, textOf } from './audit-event.js';
import { AuditKeys } from './audit-keys.js';
import { currentWork, noteRecorded } from './audited-call.js';

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

/**
 * Where it is written down who did what to whose data. Events are added side by side, so that nobody waits for
 * anybody; the sealer puts them into the chain a moment later.
 */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly keys: AuditKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Records an action in the transaction of what was done. A transaction that is rolled back afterwards must end in an
   * error: a call that succeeds counts what it recorded.
   */
  async record(manager: EntityManager, entry: AuditEntry): Promise<void> {
    const event = this.eventOf(entry);
    await manager.query(
      `INSERT INTO onboarding.audit_unsealed
         (id, occurred_at, actor, action, subject_user_id, outcome, code, issuer_slug, object_id, session_id,
          request_id, proof)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        event.id,
        event.occurredAt,
        event.actor,
        event.action,
        event.subjectUserId,
        event.outcome,
        event.code,
        event.issuerSlug,
        event.objectId,
        event.sessionId,
        event.requestId,
        this.keys.sign(textOf(event)),
      ],
    );
    noteRecorded(entry.action);
  }

  private eventOf({ action, subject, outcome = 'OK', code, issuer, object }: AuditEntry): AuditEvent {
    return {
      id: uuidv7(),
      occurredAt: this.clock.now(),
      ...currentWork(),
      action,
      subjectUserId: subject ?? null,
      outcome,
      code: code ?? null,
      issuerSlug: issuer ?? null,
      objectId: object?.toLowerCase() ?? null,
      requestId: keptRequestId(currentRequestId())?.toLowerCase() ?? null,
    };
  }
}
