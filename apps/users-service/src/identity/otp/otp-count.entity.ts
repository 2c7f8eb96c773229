import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Sends and wrong checks of codes within a day, for when Redis has lost its own counts. */
@Entity('otp_counts')
@Check('ck_otp_counts__subject_index', 'octet_length(subject_index) = 32')
@Index('ix_otp_counts__last_at', ['lastAt'])
export class OtpCount {
  @PrimaryColumn('bytea') subjectIndex: Buffer;
  @Column({ type: 'timestamptz', array: true, default: [] }) sends: Date[];
  @Column({ type: 'timestamptz', array: true, default: [] }) wrongChecks: Date[];
  @Column({ type: 'timestamptz' }) lastAt: Date;
}
