import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { CallClock } from '../../core/index.js';
import { BankAccountRow } from './bank-account.entity.js';
import type { RegistrationState } from './bank.states.js';

/** The registration of an account at an issuer. */
@Entity('bank_syncs')
@Unique(['accountId', 'issuerSlug'])
@Check('ck_bank_syncs__state', "state IN ('DUE', 'ACCEPTED', 'SYNCED', 'INVALID', 'DROPPED', 'ABANDONED')")
@Check('ck_bank_syncs__receipt', "state <> 'ACCEPTED' OR receipt IS NOT NULL")
@Check('ck_bank_syncs__reference', "state <> 'SYNCED' OR reference IS NOT NULL")
@Check('ck_bank_syncs__lease', '(lease_id IS NULL) = (leased_until IS NULL)')
@Check('ck_bank_syncs__settled_at', "(settled_at IS NULL) = (state IN ('DUE', 'ACCEPTED'))")
@Index('ix_bank_syncs__next_try_at', ['nextTryAt'], { where: "state IN ('DUE', 'ACCEPTED')" })
export class BankSync extends CallClock {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => BankAccountRow) @Column('uuid') accountId: string;
  @Column('text') issuerSlug: string;
  @Column('text', { default: 'DUE' }) state: RegistrationState;
  @Column('uuid') idempotencyKey: string;
  @Column('text', { nullable: true }) receipt: string | null;
  /** The issuer's id of the registration. */
  @Column('text', { nullable: true }) reference: string | null;
  @Column('integer', { default: 0 }) tries: number;
  @Column({ type: 'timestamptz' }) nextTryAt: Date;
  @Column('uuid', { nullable: true }) leaseId: string | null;
  @Column({ type: 'timestamptz', nullable: true }) leasedUntil: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) askedAt: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) dueSince: Date;
  @Column({ type: 'timestamptz', nullable: true }) settledAt: Date | null;
  /**
   * When the registration with the current key may first have reached the issuer; null: never, or the issuer has proved that
   * it did nothing.
   */
  @Column({ type: 'timestamptz', nullable: true }) sentAt: Date | null;
  /** Through which the account was given at the issuer; null in a row of a former release: then that of the step counts. */
  @Column('uuid', { nullable: true }) partnerId: string | null;
}
