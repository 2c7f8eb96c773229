import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';

@Entity('pan_lookups')
@Index('ix_pan_lookups__user_id', ['userId'])
@Index('ix_pan_lookups__started_at', ['startedAt'])
export class PanLookupRow {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column({ type: 'timestamptz' }) startedAt: Date;
}
