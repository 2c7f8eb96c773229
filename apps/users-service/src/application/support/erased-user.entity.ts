import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A user whose row was deleted, with the KYC record of an opened deposit. */
@Entity('erased_users')
@Check('ck_erased_users__kyc', '(kyc_until IS NULL) = (kyc_record_encrypted IS NULL)')
@Index('ix_erased_users__kyc_until', ['kycUntil'], { where: 'kyc_until IS NOT NULL' })
export class ErasedUser {
  @PrimaryColumn('uuid') userId: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) erasedAt: Date;
  @Column('date', { nullable: true }) kycUntil: string | null;
  @Column('text', { nullable: true }) kycRecordEncrypted: string | null;
}
