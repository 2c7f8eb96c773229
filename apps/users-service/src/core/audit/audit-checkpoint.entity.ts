import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('audit_checkpoints')
export class AuditCheckpoint {
  @PrimaryColumn('bigint') seq: string;
  @Column('text') hash: string;
  @Column('text') proof: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
}
