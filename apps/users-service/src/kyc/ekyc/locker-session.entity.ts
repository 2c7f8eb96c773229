import type { ErrorCode } from '@fd/errors';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CallClock } from '../../core/index.js';
import { User } from '../../identity/index.js';
import { EkycRequestRow, type FollowState } from '../entities/ekyc-request.entity.js';

@Entity('locker_sessions')
@Check('ck_locker_sessions__state', "state IN ('DUE', 'FOLLOWED', 'SETTLED', 'ABANDONED')")
@Check('ck_locker_sessions__origin_index', 'octet_length(origin_index) = 32')
@Check('ck_locker_sessions__redirect_index', 'octet_length(redirect_index) = 32')
@Index('ix_locker_sessions__ekyc_request_id', ['ekycRequestId'])
@Index('ix_locker_sessions__user_id', ['userId', 'createdAt'])
@Index('ix_locker_sessions__next_try_at', ['nextTryAt'], {
  where: "state IN ('DUE', 'FOLLOWED') AND locker_id IS NOT NULL",
})
export class LockerSessionRow extends CallClock {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @ForeignKey(() => EkycRequestRow) @Column('uuid') ekycRequestId: string;
  @Column('bytea', { nullable: true }) redirectIndex: Buffer | null;
  @Column('text', { nullable: true }) lockerId: string | null;
  @Column('text', { nullable: true }) urlEncrypted: string | null;
  @Column({ type: 'timestamptz', nullable: true }) expiresAt: Date | null;
  @Column('text', { nullable: true }) refusalCode: ErrorCode | null;
  @Column({ type: 'timestamptz' }) createdAt: Date;
  @Column('text', { default: 'DUE' }) state: FollowState;
  @Column('integer', { default: 0 }) tries: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) nextTryAt: Date;
  @Column('uuid', { nullable: true }) leaseId: string | null;
  @Column({ type: 'timestamptz', nullable: true }) leasedUntil: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) dueSince: Date;
  @Column({ type: 'timestamptz', nullable: true }) settledAt: Date | null;
  /** At which the session was opened; null: at none. */
  @Column('text', { nullable: true, default: 'document-locker' }) provider: string | null;
  /** Keyed hash of the origin to which the session returns; null: to none. */
  @Column('bytea', { nullable: true }) originIndex: Buffer | null;
}
