import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Paise } from '../values/money.js';
import { Amount, Frequency, OptionalFlag, Product, Tenure } from './deposit-query.decorator.js';
import { PAYOUT_FREQUENCIES, type PayoutFrequency, type ProductType } from './deposit-terms.js';

/**
 * `GET /api/v1/detail/maturity-amount/{issuer_code}`. The parameters are in the order of checks.
 */
export class MaturityQuoteRequest {
  @Tenure()
  readonly tenure: number;

  @Amount()
  readonly investment_amount: Paise;

  @Frequency('required')
  readonly payout_frequency: PayoutFrequency;

  @OptionalFlag()
  readonly senior_citizen?: boolean;

  @OptionalFlag()
  readonly women_citizen?: boolean;

  @OptionalFlag()
  readonly tax_saver?: boolean;

  @Product('required')
  readonly product_type: ProductType;

  @OptionalFlag('Adds the calculation of the quote.')
  readonly explain?: boolean;
}

/** Interest paid on a day. */
export class PayoutEntry {
  @ApiProperty({ type: String, format: 'date' })
  readonly date: string;

  @ApiProperty({ type: Number, description: 'Rupees, without the principal.' })
  readonly amount: number;
}

export class PayoutOfYear {
  @ApiProperty({ type: 'integer' })
  readonly year: number;

  @ApiProperty({ type: () => [PayoutEntry] })
  readonly data: PayoutEntry[];
}

/** The parts of a quote's rate, in per cent a year. */
export class RateApplied {
  @ApiProperty({ type: String, example: '7.4' })
  readonly base: string;

  @ApiProperty({ type: String, example: '0.25' })
  readonly senior: string;

  @ApiProperty({ type: String, example: '0' })
  readonly women: string;
}

/** The body of a maturity quote, without the envelope. */
export class MaturityQuote {
  @ApiProperty({ type: String, example: '7.65', description: 'Rate applied, per cent a year.' })
  readonly product_interest: string;

  @ApiProperty({ type: String, example: '7.94', description: 'Interest a year on the principal, per cent.' })
  readonly average_yield: string;

  @ApiProperty({ enum: PAYOUT_FREQUENCIES })
  readonly payout_frequency: PayoutFrequency;

  @ApiProperty({ type: String, format: 'date', description: 'In UTC.' })
  readonly maturity_date: string;

  @ApiProperty({ type: String, format: 'date', description: 'Date in India; this one is binding.' })
  readonly maturity_date_ist: string;

  @ApiProperty({ type: String, format: 'uuid' })
  readonly f_investment_vehicle_id: string;

  @ApiProperty({ type: 'integer' })
  readonly product_min_investment: number;

  @ApiProperty({ type: 'integer' })
  readonly product_max_investment: number;

  @ApiProperty({ type: 'integer' })
  readonly product_min_tenure: number;

  @ApiProperty({ type: 'integer' })
  readonly product_max_tenure: number;

  @ApiProperty({ type: String })
  readonly product_min_tenure_label: string;

  @ApiProperty({ type: () => [PayoutOfYear] })
  readonly payout: PayoutOfYear[];

  @ApiProperty({ type: Number, description: 'Rupees.' })
  readonly maturity_amount: number;

  @ApiPropertyOptional({ type: Number, description: 'Only with explain=true, as are the following fields.' })
  readonly principal?: number;

  @ApiPropertyOptional({ type: Number })
  readonly interest_amount?: number;

  @ApiPropertyOptional({ type: () => RateApplied })
  readonly rate_applied?: RateApplied;

  @ApiPropertyOptional({ type: String })
  readonly compounding_rule?: string;

  @ApiPropertyOptional({ type: String })
  readonly day_count?: string;

  @ApiPropertyOptional({ type: String })
  readonly rounding?: string;

  @ApiPropertyOptional({ type: [String], description: 'The calculation, step by step.' })
  readonly working?: string[];
}
