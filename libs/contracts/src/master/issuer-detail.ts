import { ApiProperty } from '@nestjs/swagger';
import {
  type Compounding,
  COMPOUNDINGS,
  ISSUER_TYPES,
  type IssuerType,
  PAYOUT_FREQUENCIES,
  PAYOUT_TERMS,
  type PayoutFrequency,
  type PayoutTerm,
  PRODUCT_TYPES,
  type ProductType,
} from './deposit-terms.js';

/** Instructions for a deposit at maturity. */
export class RenewalOptionFlags {
  @ApiProperty({ type: Boolean })
  readonly Principal: boolean;

  @ApiProperty({ type: Boolean })
  readonly 'No Renewal': boolean;

  @ApiProperty({ type: Boolean })
  readonly 'Total Amount': boolean;
}

/** `payload.issuerData` of an issuer's detail. */
export class IssuerData {
  @ApiProperty({ type: 'integer' })
  readonly id: number;

  @ApiProperty({ type: String })
  readonly name: string;

  @ApiProperty({ type: String })
  readonly description: string;

  @ApiProperty({ type: String, example: 'ARAVFIN' })
  readonly f_code: string;

  @ApiProperty({ type: String, format: 'uuid' })
  readonly f_issuer_id: string;

  @ApiProperty({ type: String, format: 'uri' })
  readonly url: string;

  @ApiProperty({ type: String, format: 'uri' })
  readonly sub_logo: string;

  @ApiProperty({ enum: COMPOUNDINGS })
  readonly compounding_freq: Compounding;

  @ApiProperty({ enum: ISSUER_TYPES })
  readonly issuer_type: IssuerType;

  @ApiProperty({ type: String })
  readonly crisil_rating: string;

  @ApiProperty({ type: String })
  readonly icra_rating: string;

  @ApiProperty({ type: String })
  readonly trusted_users: string;

  @ApiProperty({ type: String })
  readonly subtag_1: string;

  @ApiProperty({ type: String })
  readonly subtag_2: string;

  @ApiProperty({ type: String })
  readonly bank_type: string;

  @ApiProperty({ type: String, nullable: true })
  readonly hero_tag: string | null;

  @ApiProperty({ type: String, nullable: true })
  readonly faq: string | null;

  @ApiProperty({ type: String, nullable: true })
  readonly utm_url: string | null;

  @ApiProperty({ type: String, nullable: true })
  readonly pg_setting: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly bank_disabled_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly deleted_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly upcoming_bank_date: string | null;

  @ApiProperty({ type: 'integer', nullable: true })
  readonly baseline_issuer_rank: number | null;

  @ApiProperty({ type: Boolean })
  readonly is_range_required: boolean;

  @ApiProperty({ type: Boolean })
  readonly upcoming_bank: boolean;

  @ApiProperty({ type: Boolean })
  readonly enable_our_pg: boolean;

  @ApiProperty({ type: Boolean })
  readonly enable_easy_split: boolean;

  @ApiProperty({ type: Boolean })
  readonly is_nominee_required: boolean;

  @ApiProperty({ type: Boolean })
  readonly is_issuer_live: boolean;

  @ApiProperty({ type: 'integer' })
  readonly active_issuer_rank: number;

  @ApiProperty({ type: () => RenewalOptionFlags })
  readonly renewal_options: RenewalOptionFlags;

  @ApiProperty({ type: Number, description: 'Per cent a year, added to the rate; 0 if not offered.' })
  readonly women_benefit: number;

  @ApiProperty({ type: Number, description: 'Per cent a year, added to the rate.' })
  readonly senior_citizen_benefit: number;

  @ApiProperty({ type: 'integer', description: 'Days, over all products on sale.' })
  readonly minTenure: number;

  @ApiProperty({ type: 'integer' })
  readonly maxTenure: number;
}

/** An entry of `payload.vehiclesPayload`: a product on sale. */
export class VehiclePayload {
  @ApiProperty({ type: String, description: 'May be empty.' })
  readonly f_product_id: string;

  @ApiProperty({ type: String, format: 'uuid' })
  readonly f_issuer_id: string;

  @ApiProperty({ type: String, format: 'uuid' })
  readonly f_investment_vehicle_id: string;

  @ApiProperty({ enum: PRODUCT_TYPES })
  readonly product_type: ProductType;

  @ApiProperty({ type: String, description: 'May be the text NULL, as for the commissions.' })
  readonly product_details: string;

  @ApiProperty({ type: String })
  readonly product_issuer_commision: string;

  @ApiProperty({ type: String })
  readonly product_self_commision: string;

  @ApiProperty({ type: 'integer', nullable: true })
  readonly product_rank: number | null;

  @ApiProperty({ type: 'integer', description: 'Days.' })
  readonly product_min_tenure: number;

  @ApiProperty({ type: 'integer', description: 'Days.' })
  readonly product_max_tenure: number;

  @ApiProperty({ type: 'integer', description: 'Rupees.' })
  readonly product_min_investment: number;

  @ApiProperty({ type: 'integer', description: 'Rupees.' })
  readonly product_max_investment: number;

  @ApiProperty({ type: Boolean, description: 'For senior citizens only.' })
  readonly product_senior_citizen: boolean;

  @ApiProperty({ type: Boolean })
  readonly product_tax_saver: boolean;

  @ApiProperty({ type: Boolean, description: 'For women only.' })
  readonly product_women: boolean;

  @ApiProperty({ type: Boolean })
  readonly product_early_withdrawal: boolean;

  @ApiProperty({ type: Boolean, description: 'Invisible vehicles are not quoted.' })
  readonly is_visible: boolean;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly product_effective_date: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly product_ineffective_date: string | null;

  @ApiProperty({ enum: PAYOUT_TERMS, description: 'Cumulative or not.' })
  readonly product_payout_term: PayoutTerm;

  @ApiProperty({ type: String, description: 'Days.' })
  readonly product_loc_in_period: string;

  @ApiProperty({ enum: PAYOUT_FREQUENCIES })
  readonly product_interest_freq: PayoutFrequency;

  @ApiProperty({ type: String, description: 'Per cent a year, before benefits.', example: '7.4' })
  readonly product_interest: string;

  @ApiProperty({ type: String, description: 'Average yield of the shortest tenure.', example: '7.40' })
  readonly yield: string;

  @ApiProperty({ type: String, description: 'May be empty.' })
  readonly product_min_tenure_label: string;
}

/** `GET /detail/{issuer_uuid}` */
export class IssuerDetailPayload {
  @ApiProperty({ type: () => IssuerData })
  readonly issuerData: IssuerData;

  @ApiProperty({ type: () => [VehiclePayload] })
  readonly vehiclesPayload: VehiclePayload[];
}
