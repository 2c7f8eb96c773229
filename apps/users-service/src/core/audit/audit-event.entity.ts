import { applyDecorators } from '@nestjs/common';
import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import type { AuditAction, AuditOutcome } from './audit-actions.table.js';
import type { Actor } from './audit-event.js';

const EventChecks = (table: string): ClassDecorator =>
  applyDecorators(
    Check(`ck_${table}__actor`, "actor ~ '^(user:[0-9a-f-]{36}|(system|operator):[a-z: -]{1,60}|unknown)$'"),
    Check(`ck_${table}__action`, "action ~ '^[A-Z_]{1,60}$'"),
    Check(`ck_${table}__outcome`, "outcome IN ('OK', 'REPEATED', 'REFUSED', 'FAILED')"),
    Check(`ck_${table}__code`, "code ~ '^[A-Z_0-9]{1,60}$'"),
    Check(`ck_${table}__issuer_slug`, "issuer_slug ~ '^[a-z-]{1,60}$'"),
    Check(`ck_${table}__request_id`, "request_id ~ '^[0-9a-f-]{32,36}$'"),
  );

/** An event before its place in the chain. No foreign keys: events outlive the rows that they name. */
@Entity('audit_unsealed')
@EventChecks('audit_unsealed')
@Check('ck_audit_unsealed__proof', 'octet_length(proof) <= 500')
export class UnsealedAuditEvent {
  @PrimaryColumn('uuid') id: string;
  @Column({ type: 'timestamptz', precision: 3 }) occurredAt: Date;
  @Column('text') actor: Actor;
  @Column('text') action: AuditAction;
  @Column('uuid', { nullable: true }) subjectUserId: string | null;
  @Column('text') outcome: AuditOutcome;
  @Column('text', { nullable: true }) code: string | null;
  @Column('text', { nullable: true }) issuerSlug: string | null;
  @Column('uuid', { nullable: true }) objectId: string | null;
  @Column('uuid', { nullable: true }) sessionId: string | null;
  @Column('text', { nullable: true }) requestId: string | null;
  @Column('text') proof: string;
}

/** An event of the chain, in partitions by the time of sealing. */
@Entity('audit_events')
@EventChecks('audit_events')
@Check('ck_audit_events__hash', 'octet_length(hash) <= 500')
export class SealedAuditEvent {
  @PrimaryColumn('bigint') seq: string;
  @Column('uuid') id: string;
  @Column({ type: 'timestamptz', precision: 3 }) occurredAt: Date;
  @Column('text') actor: Actor;
  @Column('text') action: AuditAction;
  @Column('uuid', { nullable: true }) subjectUserId: string | null;
  @Column('text') outcome: AuditOutcome;
  @Column('text', { nullable: true }) code: string | null;
  @Column('text', { nullable: true }) issuerSlug: string | null;
  @Column('uuid', { nullable: true }) objectId: string | null;
  @Column('uuid', { nullable: true }) sessionId: string | null;
  @Column('text', { nullable: true }) requestId: string | null;
  @Column('text') proof: string;
  @Column({ type: 'timestamptz', precision: 3 }) sealedAt: Date;
  @Column('text') hash: string;
}
