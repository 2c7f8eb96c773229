import type { PayoutFrequency, ProductType } from '@fd/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { IssuerProfile } from './issuer-profile.entity.js';

/** An investment vehicle: a rate for a payout frequency within bounds of tenure, amount and time. */
@Entity('vehicles')
@Check('ck_vehicles__product_type', "product_type IN ('FD')")
@Check(
  'ck_vehicles__payout_frequency',
  "payout_frequency IN ('Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly')",
)
@Check('ck_vehicles__rate', 'rate > 0 AND rate <= 15')
@Check('ck_vehicles__tenure', 'min_tenure BETWEEN 1 AND max_tenure')
@Check('ck_vehicles__investment', 'min_investment BETWEEN 1 AND max_investment')
@Check('ck_vehicles__effective', 'ineffective_at IS NULL OR ineffective_at > effective_at')
@Index('ix_vehicles__issuer', ['issuerId'])
export class Vehicle {
  @PrimaryColumn('uuid') readonly vehicleId: string;
  @ForeignKey(() => IssuerProfile, { name: 'fk_vehicles__issuer', onDelete: 'CASCADE' })
  @Column('uuid')
  readonly issuerId: string;

  @Column('text') readonly productId: string;
  @Column('text') readonly productType: ProductType;
  @Column('text') readonly details: string;
  @Column('text') readonly issuerCommission: string;
  @Column('text') readonly selfCommission: string;
  @Column('integer', { nullable: true }) readonly rank: number | null;
  @Column('text') readonly payoutFrequency: PayoutFrequency;
  /** Per cent a year as printed, a decimal ("7.40"), without benefits for senior citizens and women. */
  @Column('numeric') readonly rate: string;
  /** Days, both ends included. */
  @Column('integer') readonly minTenure: number;
  @Column('integer') readonly maxTenure: number;
  /** Whole rupees, both ends included. */
  @Column('integer') readonly minInvestment: number;
  @Column('integer') readonly maxInvestment: number;
  @Column('text') readonly tenureLabel: string;
  @Column('boolean') readonly isSeniorOnly: boolean;
  @Column('boolean') readonly isWomenOnly: boolean;
  @Column('boolean') readonly isTaxSaver: boolean;
  @Column('boolean') readonly hasEarlyWithdrawal: boolean;
  @Column('boolean') readonly isVisible: boolean;
  /** Days, as text. */
  @Column('text') readonly lockInPeriod: string;
  /** On sale from this instant (included) until the other (excluded; null: until further notice). */
  @Column({ type: 'timestamptz' }) readonly effectiveAt: Date;
  @Column({ type: 'timestamptz', nullable: true }) readonly ineffectiveAt: Date | null;
}
