import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';

/** A question to a bank about an account of the user. */
@Entity('bank_checks')
@Index('ix_bank_checks__user_id__started_at', ['userId', 'startedAt'])
@Index('ix_bank_checks__started_at', ['startedAt'])
export class BankCheck {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column({ type: 'timestamptz' }) startedAt: Date;
}
