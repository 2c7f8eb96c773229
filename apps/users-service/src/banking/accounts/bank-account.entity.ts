import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { CallClock } from '../../core/index.js';
import { User } from '../../identity/index.js';
import type { NameMatch } from '../../kyc/index.js';
import type { AccountState, NameReview } from './bank.states.js';

@Entity('bank_accounts')
@Unique(['userId', 'accountIndex'])
@Check(
  'ck_bank_accounts__state',
  "state IN ('DUE', 'PROCESSING', 'VERIFIED', 'MISMATCHED', 'BLOCKED', 'INVALID', 'ABANDONED')",
)
@Check('ck_bank_accounts__name_review', "name_review IN ('WAITING', 'ACCEPTED', 'REFUSED')")
@Check('ck_bank_accounts__account_index', 'octet_length(account_index) = 32')
@Check('ck_bank_accounts__receipt', "state <> 'PROCESSING' OR receipt IS NOT NULL")
@Check(
  'ck_bank_accounts__finding',
  `state NOT IN ('VERIFIED', 'MISMATCHED') OR
    (name_at_bank_encrypted IS NOT NULL AND bank_name IS NOT NULL AND name_match IS NOT NULL)`,
)
@Check('ck_bank_accounts__lease', '(lease_id IS NULL) = (leased_until IS NULL)')
@Check('ck_bank_accounts__settled_at', "(settled_at IS NULL) = (state IN ('DUE', 'PROCESSING'))")
@Index('ix_bank_accounts__next_try_at', ['nextTryAt'], { where: "state IN ('DUE', 'PROCESSING')" })
@Index('ix_bank_accounts__in_review', ['settledAt'], { where: "name_review = 'WAITING'" })
@Index('ix_bank_accounts__uncompared', ['userId'], { where: "state = 'VERIFIED' AND NOT is_compared" })
export class BankAccountRow extends CallClock {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column('bytea') accountIndex: Buffer;
  @Column('text') accountEncrypted: string;
  @Column('text') holderEncrypted: string;
  @Column('text', { nullable: true }) nameAtBankEncrypted: string | null;
  @Column('text', { nullable: true }) bankName: string | null;
  @Column('jsonb', { nullable: true }) nameMatch: NameMatch | null;
  @Column('text', { default: 'DUE' }) state: AccountState;
  @Column('uuid') idempotencyKey: string;
  @Column('text', { nullable: true }) receipt: string | null;
  @Column('integer', { default: 0 }) tries: number;
  @Column({ type: 'timestamptz' }) nextTryAt: Date;
  @Column('uuid', { nullable: true }) leaseId: string | null;
  @Column({ type: 'timestamptz', nullable: true }) leasedUntil: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) askedAt: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) dueSince: Date;
  @Column({ type: 'timestamptz', nullable: true }) settledAt: Date | null;
  /** Whether the holder has been compared with the PAN. */
  @Column('boolean', { default: false }) isCompared: boolean;
  @Column('text', { nullable: true }) nameReview: NameReview;
  /** Runs the verification; null before it begins. */
  @Column('text', { nullable: true, default: 'bank' }) provider: string | null;
  /** Whether an operator is to look at the claimed name if it differs from the others, instead of a refusal. */
  @Column('boolean', { default: false }) isReviewAsked: boolean;
}
