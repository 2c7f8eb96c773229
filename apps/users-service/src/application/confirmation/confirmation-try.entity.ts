import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';

/** A failed try to name the PAN and the date of birth of an account. */
@Entity('confirmation_tries')
@Index('ix_confirmation_tries__user_id', ['userId'])
@Index('ix_confirmation_tries__created_at', ['createdAt'])
export class ConfirmationTry {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column({ type: 'timestamptz' }) createdAt: Date;
  /** Whether it was made in a confirmed session. */
  @Column('boolean', { default: false }) isConfirmed: boolean;
}
