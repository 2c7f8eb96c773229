import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CallClock } from '../../core/index.js';
import { User } from '../../identity/index.js';

/** A short message to a user whose PAN was taken over. */
@Entity('pan_notices')
@Check('ck_pan_notices__state', "state IN ('DUE', 'SENT', 'ABANDONED')")
@Check('ck_pan_notices__lease', '(lease_id IS NULL) = (leased_until IS NULL)')
@Check('ck_pan_notices__settled_at', "(settled_at IS NULL) = (state = 'DUE')")
@Index('ix_pan_notices__next_try_at', ['nextTryAt'], { where: "state = 'DUE'" })
@Index('ix_pan_notices__settled_at', ['settledAt'], { where: 'settled_at IS NOT NULL' })
export class PanNoticeRow extends CallClock {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column('text', { default: 'DUE' }) state: 'DUE' | 'SENT' | 'ABANDONED';
  @Column('uuid') idempotencyKey: string;
  @Column('text', { nullable: true }) receipt: string | null;
  @Column('integer', { default: 0 }) tries: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) nextTryAt: Date;
  @Column('uuid', { nullable: true }) leaseId: string | null;
  @Column({ type: 'timestamptz', nullable: true }) leasedUntil: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) dueSince: Date;
  @Column({ type: 'timestamptz', nullable: true }) settledAt: Date | null;
}
