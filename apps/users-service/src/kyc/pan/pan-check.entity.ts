import type { ErrorCode } from '@fd/errors';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CallClock } from '../../core/index.js';
import { User } from '../../identity/index.js';

/** A PAN check as a durable call. The request's data is kept until the registry has answered. */
@Entity('pan_checks')
@Check('ck_pan_checks__state', "state IN ('DUE', 'VERIFIED', 'REFUSED')")
@Check(
  'ck_pan_checks__claim',
  "num_nonnulls(claim_index, claim_encrypted) = CASE state WHEN 'DUE' THEN 2 ELSE 0 END",
)
@Check('ck_pan_checks__refusal', "(refusal IS NOT NULL) = (state = 'REFUSED')")
@Check('ck_pan_checks__lease', '(lease_id IS NULL) = (leased_until IS NULL)')
@Check('ck_pan_checks__settled_at', "(settled_at IS NULL) = (state = 'DUE')")
@Index('ix_pan_checks__user_id', ['userId'])
@Index('ix_pan_checks__next_try_at', ['nextTryAt'], { where: "state = 'DUE'" })
@Index('ix_pan_checks__settled_at', ['settledAt'], { where: 'settled_at IS NOT NULL' })
export class PanCheckRow extends CallClock {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column('text', { default: 'DUE' }) state: 'DUE' | 'VERIFIED' | 'REFUSED';
  @Column('bytea', { nullable: true }) claimIndex: Buffer | null;
  @Column('text', { nullable: true }) claimEncrypted: string | null;
  @Column('text', { nullable: true }) refusal: ErrorCode | null;
  @Column('integer', { default: 0 }) tries: number;
  @Column({ type: 'timestamptz' }) nextTryAt: Date;
  @Column('uuid', { nullable: true }) leaseId: string | null;
  @Column({ type: 'timestamptz', nullable: true }) leasedUntil: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) dueSince: Date;
  @Column({ type: 'timestamptz', nullable: true }) settledAt: Date | null;
}
