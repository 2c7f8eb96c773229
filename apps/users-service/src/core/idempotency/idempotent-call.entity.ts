import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('idempotent_calls')
@Check('ck_idempotent_calls__lengths', 'octet_length(call_index) = 32 AND octet_length(fingerprint) = 32')
@Index('ix_idempotent_calls__expires_at', ['expiresAt'])
export class IdempotentCall {
  @PrimaryColumn('uuid') id: string;
  @Column('bytea', { unique: true }) callIndex: Buffer;
  @Column('bytea') fingerprint: Buffer;
  @Column({ type: 'timestamptz', default: () => 'now()' }) startedAt: Date;
  @Column({ type: 'timestamptz' }) expiresAt: Date;
  @Column('text', { nullable: true }) answerEncrypted: string | null;
  /** Hashes of path, query and body; null in a row of a release that stored only the fingerprint. */
  @Column('bytea', { nullable: true }) partDigests: Buffer | null;
}
