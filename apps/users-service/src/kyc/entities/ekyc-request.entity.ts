import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { EkycMethod } from '../../config/index.js';
import { CallClock } from '../../core/index.js';
import { User } from '../../identity/index.js';

/**
 * Whether a provider may still change an outcome. DUE: it may not have been called yet. FOLLOWED: it is polled. The
 * service polls an outcome for a while after its end for the client, since a success may arrive late.
 */
export type FollowState = 'DUE' | 'FOLLOWED' | 'SETTLED' | 'ABANDONED';

/** REQUESTED: without a link, because no client has asked for it yet, or the provider has not answered. */
export type EkycRequestStatus =
  'REQUESTED' | 'LINK_CREATED' | 'IN_PROGRESS' | 'VERIFIED' | 'FAILED' | 'EXPIRED';

/**
 * A request for eKYC. `status` is the answer to the client; `state` says whether the worker still polls the provider for its
 * result. Links are encrypted: anyone can use a link.
 */
@Entity('ekyc_requests')
@Check(
  'ck_ekyc_requests__status',
  "status IN ('REQUESTED', 'LINK_CREATED', 'IN_PROGRESS', 'VERIFIED', 'FAILED', 'EXPIRED')",
)
@Check('ck_ekyc_requests__state', "state IN ('DUE', 'FOLLOWED', 'SETTLED', 'ABANDONED')")
@Index('uq_ekyc_requests__live', ['userId', 'issuerSlug'], {
  unique: true,
  where: "status IN ('REQUESTED', 'LINK_CREATED', 'IN_PROGRESS')",
})
@Index('ix_ekyc_requests__user', ['userId', 'issuerSlug', 'createdAt'])
@Index('ix_ekyc_requests__next_try_at', ['nextTryAt'], {
  where: "state IN ('DUE', 'FOLLOWED') AND status <> 'REQUESTED'",
})
export class EkycRequestRow extends CallClock {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column('text') issuerSlug: string;
  @Column('text') method: EkycMethod;
  @Column('text') status: EkycRequestStatus;
  @Column('text', { nullable: true }) redirectUrlEncrypted: string | null;
  @Column('text', { nullable: true }) urlEncrypted: string | null;
  @Column({ type: 'timestamptz', nullable: true }) expiresAt: Date | null;
  @Column('boolean') isCompared: boolean;
  @Column('boolean', { default: false }) isRetry: boolean;
  @Column('text', { nullable: true }) aadhaarTransaction: string | null;
  @Column('smallint', { default: () => '0' }) aadhaarChecks: number;
  @Column('text', { nullable: true }) aadhaarEncrypted: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updatedAt: Date;
  /** The verification of the PAN: the request proves nothing about another PAN of the same user. */
  @Column('uuid', { nullable: true }) comparedWith: string | null;
  @Column('text', { default: 'DUE' }) state: FollowState;
  @Column('integer', { default: 0 }) tries: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) nextTryAt: Date;
  @Column('uuid', { nullable: true }) leaseId: string | null;
  @Column({ type: 'timestamptz', nullable: true }) leasedUntil: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) dueSince: Date;
  @Column({ type: 'timestamptz', nullable: true }) settledAt: Date | null;
  /** At which a hosted request was opened; null: at none. */
  @Column('text', { nullable: true, default: 'ekyc' }) provider: string | null;
  /** Whether the document of a verified eKYC had the full date of birth. */
  @Column('boolean', { nullable: true }) isFullDate: boolean | null;
  /** Whether the user's own browser or phone completed it, and not somebody whom the user has sent the link. */
  @Column('boolean', { default: false }) isBound: boolean;
  /** The page that proved it: the request's own (its id), or a locker session. Null for the code of an Aadhaar. */
  @Column('uuid', { nullable: true }) pageId: string | null;
}
