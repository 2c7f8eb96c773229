import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A key of a partner's backend. It opens the partner's events, and nothing else. */
@Entity('backend_keys')
@Check('ck_backend_keys__scope', "scope = 'EVENTS'")
@Check('ck_backend_keys__key_hash', 'octet_length(key_hash) = 32')
@Index('ix_backend_keys__partner_id', ['partnerId'])
export class BackendKey {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey('Partner') @Column('uuid') partnerId: string;
  /** SHA-256. The key is long and random, so a fast hash is safe. */
  @Column('bytea', { unique: true }) keyHash: Buffer;
  @Column('text', { default: 'EVENTS' }) scope: 'EVENTS';
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
  @Column({ type: 'timestamptz', nullable: true }) revokedAt: Date | null;
}
