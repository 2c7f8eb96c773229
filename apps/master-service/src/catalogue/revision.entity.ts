import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** One applied import. The newest is what running services compare with what they hold. */
@Entity({ name: 'revisions' })
export class RevisionEntity {
  /** A bigint, which the driver gives as text. */
  @PrimaryGeneratedColumn('identity', { name: 'revision_id', type: 'bigint', generatedIdentity: 'ALWAYS' })
  revisionId: string;

  /** SHA-256 of the catalogue's content, in hex. */
  @Column({ type: 'text' })
  checksum: string;

  @Column({ name: 'issuer_count', type: 'integer' })
  issuerCount: number;

  @Column({ name: 'vehicle_count', type: 'integer' })
  vehicleCount: number;

  /** What it changed, line by line as it was shown, for whoever asks later. */
  @Column({ type: 'text', array: true })
  changes: string[];

  @Column({ name: 'applied_at', type: 'timestamptz', default: () => 'now()' })
  appliedAt: Date;
}
