import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { CallClock } from '../../core/index.js';
import { BankAccountRow } from './bank-account.entity.js';

/** DUE: no answer yet. KEPT: the issuer's API has no withdrawal. ABANDONED: no answer for a day. */
export type WithdrawalState = 'DUE' | 'WITHDRAWN' | 'KEPT' | 'ABANDONED';

/** The withdrawal from an issuer that had registered an account before another person's name was found. */
@Entity('bank_withdrawals')
@Check('ck_bank_withdrawals__state', "state IN ('DUE', 'WITHDRAWN', 'KEPT', 'ABANDONED')")
@Check('ck_bank_withdrawals__lease', '(lease_id IS NULL) = (leased_until IS NULL)')
@Check('ck_bank_withdrawals__settled_at', "(settled_at IS NULL) = (state = 'DUE')")
@Index('ix_bank_withdrawals__account_id', ['accountId'])
@Index('ix_bank_withdrawals__next_try_at', ['nextTryAt'], { where: "state = 'DUE'" })
@Index('uq_bank_withdrawals__due', ['accountId', 'issuerSlug'], { unique: true, where: "state = 'DUE'" })
export class BankWithdrawal extends CallClock {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => BankAccountRow) @Column('uuid') accountId: string;
  @Column('text') issuerSlug: string;
  @Column('text') reference: string;
  @Column('text', { default: 'DUE' }) state: WithdrawalState;
  @Column('uuid') idempotencyKey: string;
  @Column('text', { nullable: true }) receipt: string | null;
  @Column('integer', { default: 0 }) tries: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) nextTryAt: Date;
  @Column('uuid', { nullable: true }) leaseId: string | null;
  @Column({ type: 'timestamptz', nullable: true }) leasedUntil: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) dueSince: Date;
  @Column({ type: 'timestamptz', nullable: true }) settledAt: Date | null;
}
