import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Proof that a person agreed: to what, to which notice, when and through whom. */
@Entity('consents')
export class Consent {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'user_id' })
  userId: string;

  @Column('uuid', { name: 'partner_id' })
  partnerId: string;

  @Column('text')
  purpose: string;

  @Column('text', { name: 'notice_version' })
  noticeVersion: string;

  /** Keyed hash of the client's address. */
  @Column('bytea', { name: 'ip_hash' })
  ipHash: Buffer;

  @CreateDateColumn({ name: 'given_at', type: 'timestamptz' })
  givenAt: Date;

  @Column('timestamptz', { name: 'withdrawn_at', nullable: true })
  withdrawnAt: Date | null;
}
