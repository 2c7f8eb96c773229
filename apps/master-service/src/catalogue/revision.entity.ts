import { Check, Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An applied import. Services compare the newest one with their copy. */
@Entity('revisions')
@Check('ck_revisions__checksum', "checksum ~ '^[0-9a-f]{64}$'")
export class Revision {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  readonly revisionId: string;

  @Column('text') readonly checksum: string;
  @Column('integer') readonly issuerCount: number;
  @Column('integer') readonly vehicleCount: number;
  /** The difference that the import printed, stored for audits. */
  @Column('text', { array: true }) readonly changes: readonly string[];
  @Column({ type: 'timestamptz', default: () => 'now()' }) readonly appliedAt: Date;
}
