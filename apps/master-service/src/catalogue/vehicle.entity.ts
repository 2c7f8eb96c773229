import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PayoutFrequency, ProductType } from '@fd/contracts';
import type { Vehicle } from './issuer.js';

@Entity({ name: 'vehicles' })
export class VehicleEntity implements Vehicle {
  @PrimaryColumn({ name: 'vehicle_id', type: 'uuid' })
  vehicleId: string;

  @Column({ name: 'issuer_id', type: 'uuid' })
  issuerId: string;

  @Column({ name: 'product_id', type: 'text' })
  productId: string;

  @Column({ name: 'product_type', type: 'text' })
  productType: ProductType;

  @Column({ type: 'text' })
  details: string;

  @Column({ name: 'issuer_commission', type: 'text' })
  issuerCommission: string;

  @Column({ name: 'self_commission', type: 'text' })
  selfCommission: string;

  @Column({ type: 'integer', nullable: true })
  rank: number | null;

  @Column({ name: 'payout_frequency', type: 'text' })
  payoutFrequency: PayoutFrequency;

  @Column({ type: 'numeric' })
  rate: string;

  @Column({ name: 'min_tenure', type: 'integer' })
  minTenure: number;

  @Column({ name: 'max_tenure', type: 'integer' })
  maxTenure: number;

  @Column({ name: 'min_investment', type: 'integer' })
  minInvestment: number;

  @Column({ name: 'max_investment', type: 'integer' })
  maxInvestment: number;

  @Column({ name: 'tenure_label', type: 'text' })
  tenureLabel: string;

  @Column({ name: 'is_senior_only', type: 'boolean' })
  isSeniorOnly: boolean;

  @Column({ name: 'is_women_only', type: 'boolean' })
  isWomenOnly: boolean;

  @Column({ name: 'is_tax_saver', type: 'boolean' })
  isTaxSaver: boolean;

  @Column({ name: 'has_early_withdrawal', type: 'boolean' })
  hasEarlyWithdrawal: boolean;

  @Column({ name: 'is_visible', type: 'boolean' })
  isVisible: boolean;

  @Column({ name: 'lock_in_period', type: 'text' })
  lockInPeriod: string;

  @Column({ name: 'effective_at', type: 'timestamptz' })
  effectiveAt: Date;

  @Column({ name: 'ineffective_at', type: 'timestamptz', nullable: true })
  ineffectiveAt: Date | null;
}
