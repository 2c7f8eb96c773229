import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A name that did not match the one at a bank, counted for each user and each account number. */
@Entity('bank_mismatches')
@Check('ck_bank_mismatches__account_index', 'octet_length(account_index) = 32')
@Index('ix_bank_mismatches__user_id__created_at', ['userId', 'createdAt'])
@Index('ix_bank_mismatches__account_index__created_at', ['accountIndex', 'createdAt'])
@Index('ix_bank_mismatches__created_at', ['createdAt'])
export class BankMismatch {
  @PrimaryColumn('uuid') id: string;
  /** No foreign key: the daily count of an account outlives the erasure of a user who gave some of the names. */
  @Column('uuid') userId: string;
  @Column('bytea') accountIndex: Buffer;
  @Column({ type: 'timestamptz' }) createdAt: Date;
}
