import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';

/** An Aadhaar code that a user has caused. */
@Entity('aadhaar_sends')
@Index('ix_aadhaar_sends__user_id', ['userId', 'startedAt'])
@Index('ix_aadhaar_sends__started_at', ['startedAt'])
export class AadhaarSend {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column({ type: 'timestamptz' }) startedAt: Date;
}
