import type { NominationType } from '@fd/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../identity/index.js';

@Entity('nominees')
@Unique(['userId', 'priority'])
@Check('ck_nominees__nomination_type', "nomination_type IN ('SIMULTANEOUS', 'SUCCESSIVE')")
@Check('ck_nominees__share', 'share BETWEEN 100 AND 10000')
@Check('ck_nominees__priority', "(nomination_type = 'SUCCESSIVE') = (priority IS NOT NULL) AND priority >= 1")
@Index('ix_nominees__user_id', ['userId'])
export class NomineeRow {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column('text') personEncrypted: string;
  @Column('text') nominationType: NominationType;
  /** Hundredths of a percent. */
  @Column('integer') share: number;
  @Column('integer', { nullable: true }) priority: number | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updatedAt: Date;
}
