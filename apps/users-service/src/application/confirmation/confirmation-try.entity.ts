import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';

/** A failed try to confirm an account. */
@Entity('confirmation_tries')
@Index('ix_confirmation_tries__user_id', ['userId'])
@Index('ix_confirmation_tries__created_at', ['createdAt'])
export class ConfirmationTry {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column({ type: 'timestamptz' }) createdAt: Date;
}
