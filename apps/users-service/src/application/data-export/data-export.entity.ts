import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';

/** A call by which a person asked for an export of their data. */
@Entity('data_exports')
@Index('ix_data_exports__user_id', ['userId'])
@Index('ix_data_exports__created_at', ['createdAt'])
export class DataExport {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column({ type: 'timestamptz' }) createdAt: Date;
}
