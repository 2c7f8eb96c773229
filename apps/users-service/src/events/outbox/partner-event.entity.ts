import type { JourneyStepName } from '@fd/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CallClock } from '../../core/index.js';
import type { EventType } from './event-types.js';

/** PARKED: given up, or older than the partner's address. ERASED: the person was erased, so that nobody gets it any more. */
export type EventState = 'DUE' | 'DELIVERED' | 'PARKED' | 'ERASED';

/** An outcome for a partner's backend, and its delivery. The checks keep free text out. */
@Entity('partner_events')
@Check('ck_partner_events__type', "type ~ '^[a-z_.]{1,40}$'")
@Check('ck_partner_events__issuer_slug', "issuer_slug ~ '^[a-z-]{1,60}$'")
@Check('ck_partner_events__step', "step ~ '^[A-Z_]{1,40}$'")
@Check('ck_partner_events__status', "status ~ '^[A-Z_]{1,40}$'")
@Check('ck_partner_events__reason_code', "reason_code ~ '^[A-Z_0-9]{1,60}$'")
@Check('ck_partner_events__state', "state IN ('DUE', 'DELIVERED', 'PARKED', 'ERASED')")
@Check('ck_partner_events__lease', '(lease_id IS NULL) = (leased_until IS NULL)')
@Check('ck_partner_events__settled_at', "(settled_at IS NULL) = (state = 'DUE')")
@Index('uq_partner_events__position', ['partnerId', 'position'], {
  unique: true,
  where: 'position IS NOT NULL',
})
@Index('ix_partner_events__unnumbered', ['partnerId', 'id'], { where: 'position IS NULL' })
@Index('ix_partner_events__due', ['partnerId', 'nextTryAt'], { where: "state = 'DUE'" })
@Index('ix_partner_events__open', ['partnerId', 'position'], { where: "state = 'DUE'" })
@Index('ix_partner_events__line', ['partnerId', 'userId', 'position'], { where: "state = 'DUE'" })
@Index('ix_partner_events__parked', ['partnerId'], { where: "state = 'PARKED'" })
@Index('ix_partner_events__user_id', ['userId'])
@Index('ix_partner_events__occurred_at', ['occurredAt'])
export class PartnerEvent extends CallClock {
  /** By PostgreSQL's clock, under the lock of what has changed, so that ids have the order of the changes. */
  @PrimaryColumn('uuid') id: string;
  @ForeignKey('Partner') @Column('uuid') partnerId: string;
  /** No foreign key: the erasure of a user is published after the user's row is deleted. */
  @Column('uuid') userId: string;
  @Column('text') type: EventType;
  @Column('text', { nullable: true }) issuerSlug: string | null;
  @Column('text', { nullable: true }) step: JourneyStepName | null;
  @Column('text', { nullable: true }) status: string | null;
  @Column('text', { nullable: true }) reasonCode: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) occurredAt: Date;
  /** In the partner's order of events; null until it has one. As text. */
  @Column('bigint', { nullable: true }) position: string | null;
  @Column('text', { default: 'DUE' }) state: EventState;
  @Column('integer', { default: 0 }) tries: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) nextTryAt: Date;
  @Column('uuid', { nullable: true }) leaseId: string | null;
  @Column({ type: 'timestamptz', nullable: true }) leasedUntil: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) dueSince: Date;
  @Column({ type: 'timestamptz', nullable: true }) settledAt: Date | null;
  @Column({ type: 'timestamptz', nullable: true }) lastTriedAt: Date | null;
  /** HTTP status of the latest answer, or why there was none. */
  @Column('text', { nullable: true }) lastAnswer: string | null;
}
