import { Check, Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../../identity/index.js';

/** Whether an issuer knows the user as a customer. */
@Entity('existing_customers')
@Unique('uq_existing_customers__user_issuer', ['userId', 'issuerSlug'])
@Check('ck_existing_customers__customer', 'is_existing = (customer_id_encrypted IS NOT NULL)')
@Check('ck_existing_customers__kyc', 'is_existing OR NOT is_kyc_complete')
@Check('ck_existing_customers__matched_on', "matched_on <@ ARRAY['PAN', 'PHONE']")
export class ExistingCustomerRow {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey(() => User) @Column('uuid') userId: string;
  @Column('text') issuerSlug: string;
  @Column('boolean') isExisting: boolean;
  @Column('boolean') isKycComplete: boolean;
  @Column('text', { nullable: true }) customerIdEncrypted: string | null;
  @Column('text', { array: true }) matchedOn: ('PAN' | 'PHONE')[];
  @Column({ type: 'timestamptz' }) checkedAt: Date;
}
