import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CallClock } from '../../core/index.js';
import { User } from '../users/user.entity.js';
import type { NoticeKind } from './notice-texts.js';

/** A mail to a user about a change of the account. */
@Entity('mail_notices')
@Check(
  'ck_mail_notices__kind',
  "kind IN ('EMAIL_CHANGED', 'NOMINEES_CHANGED', 'PAN_LOST', 'PAN_GAINED', 'EMAIL_MOVED', 'PHONE_REUSED', 'PAN_CLAIMED', 'PAN_NOT_GAINED')",
)
@Check('ck_mail_notices__state', "state IN ('DUE', 'SENT', 'ABANDONED')")
@Check('ck_mail_notices__lease', '(lease_id IS NULL) = (leased_until IS NULL)')
@Check('ck_mail_notices__settled_at', "(settled_at IS NULL) = (state = 'DUE')")
@Index('ix_mail_notices__user_id', ['userId'])
@Index('ix_mail_notices__next_try_at', ['nextTryAt'], { where: "state = 'DUE'" })
@Index('ix_mail_notices__settled_at', ['settledAt'], { where: 'settled_at IS NOT NULL' })
export class MailNoticeRow extends CallClock {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column('text') kind: NoticeKind;
  /** The address of the mail, which may no longer be that of the user. */
  @Column('text') addressEncrypted: string;
  @Column('text', { default: 'DUE' }) state: 'DUE' | 'SENT' | 'ABANDONED';
  @Column('integer', { default: 0 }) tries: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) nextTryAt: Date;
  @Column('uuid', { nullable: true }) leaseId: string | null;
  @Column({ type: 'timestamptz', nullable: true }) leasedUntil: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) dueSince: Date;
  @Column({ type: 'timestamptz', nullable: true }) settledAt: Date | null;
}
