import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Partner } from '../partners/partner.entity.js';
import type { ConsentPurpose } from './notices.table.js';

@Entity('consents')
// rows stay for years, so the service's role cannot add one of any size
@Check('ck_consents__purpose', 'octet_length(purpose || notice_version) + octet_length(ip_hash) <= 500')
@Check('ck_consents__document_issuer', 'octet_length(document_issuer) <= 40')
@Index('ix_consents__user_id', ['userId'])
@Index('uq_consents__living', ['userId', 'partnerId', 'purpose', 'noticeVersion'], {
  unique: true,
  where: 'withdrawn_at IS NULL AND is_united',
})
@Index('uq_consents__document_hash', ['userId', 'partnerId', 'purpose', 'documentHash'], {
  unique: true,
  where: 'withdrawn_at IS NULL AND document_hash IS NOT NULL',
})
@Index('ix_consents__withdrawn_at', ['withdrawnAt'], { where: 'withdrawn_at IS NOT NULL' })
export class Consent {
  @PrimaryColumn('uuid') id: string;
  /** No foreign key: consents stay as proof after the user's row is deleted. */
  @Column('uuid') userId: string;
  @ForeignKey(() => Partner) @Column('uuid') partnerId: string;
  @Column('text') purpose: ConsentPurpose;
  @Column('text') noticeVersion: string;
  @Column('bytea') ipHash: Buffer;
  @Column({ type: 'timestamptz', default: () => 'now()' }) givenAt: Date;
  @Column({ type: 'timestamptz', nullable: true }) withdrawnAt: Date | null;
  /** Whether a repeated consent is the same one while it is in force. */
  @Column('boolean', { default: false }) isUnited: boolean;
  /** Of the fact sheet that the person agreed to; null in all other consents. */
  @Column('bytea', { nullable: true }) documentHash: Buffer | null;
  /** Code of the issuer of that fact sheet, if master-service has signed it. */
  @Column('text', { nullable: true }) documentIssuer: string | null;
}
