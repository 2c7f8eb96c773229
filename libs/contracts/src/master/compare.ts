import { ApiProperty } from '@nestjs/swagger';
import { QuoteErrors } from '@fd/errors';
import type { Paise } from '../values/money.js';
import { Amount, Frequency, OptionalFlag, Product, Tenure } from './deposit-query.decorator.js';
import {
  ISSUER_TYPES,
  type IssuerType,
  PAYOUT_FREQUENCIES,
  type PayoutFrequency,
  type ProductType,
} from './deposit-terms.js';

/** `GET /api/v1/compare`: the same deposit at all issuers. The parameters are in the order of checks. */
export class CompareRequest {
  @Tenure()
  readonly tenure: number;

  @Amount()
  readonly amount: Paise;

  @Frequency('optional')
  readonly payout_frequency?: PayoutFrequency;

  @OptionalFlag()
  readonly senior_citizen?: boolean;

  @OptionalFlag()
  readonly women_citizen?: boolean;

  @OptionalFlag()
  readonly tax_saver?: boolean;

  @Product('optional')
  readonly product_type?: ProductType;
}

/** An issuer in a comparison. */
export class ComparedIssuer {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly f_issuer_id: string;

  @ApiProperty({ type: String, example: 'ARAVFIN' })
  readonly f_code: string;

  @ApiProperty({ type: String, example: 'aravalli' })
  readonly slug: string;

  @ApiProperty({ type: String })
  readonly name: string;

  @ApiProperty({ enum: ISSUER_TYPES })
  readonly issuer_type: IssuerType;

  @ApiProperty({ type: String })
  readonly sub_logo: string;
}

/** The offer of an issuer. */
export class ComparedQuote extends ComparedIssuer {
  @ApiProperty({ type: 'integer', minimum: 1, description: '1 is the highest interest.' })
  readonly rank: number;

  @ApiProperty({ type: String })
  readonly product_interest: string;

  @ApiProperty({ type: String })
  readonly average_yield: string;

  @ApiProperty({ type: Number, description: 'Rupees; the sum of all payouts.' })
  readonly interest_amount: number;

  @ApiProperty({ type: Number, description: 'Rupees.' })
  readonly maturity_amount: number;

  @ApiProperty({ type: String, format: 'date' })
  readonly maturity_date_ist: string;

  @ApiProperty({ type: String, format: 'uuid' })
  readonly f_investment_vehicle_id: string;

  @ApiProperty({ type: String })
  readonly product_min_tenure_label: string;
}

/** Why an issuer has no offer. */
export class UnavailableIssuer extends ComparedIssuer {
  @ApiProperty({ type: String, example: QuoteErrors.frequencyNotOffered.code })
  readonly errorCode: string;

  @ApiProperty({ type: String })
  readonly error: string;

  @ApiProperty({ type: String, description: 'Text for the user.' })
  readonly message: string;
}

export class ComparePayload {
  @ApiProperty({ type: Number, description: 'Rupees.' })
  readonly amount: number;

  @ApiProperty({ type: 'integer', description: 'Days.' })
  readonly tenure: number;

  @ApiProperty({ enum: PAYOUT_FREQUENCIES })
  readonly payout_frequency: PayoutFrequency;

  @ApiProperty({ type: Boolean })
  readonly senior_citizen: boolean;

  @ApiProperty({ type: Boolean })
  readonly women_citizen: boolean;

  @ApiProperty({ type: Boolean })
  readonly tax_saver: boolean;

  @ApiProperty({ type: () => [ComparedQuote], description: 'By interest, highest first.' })
  readonly quotes: ComparedQuote[];

  @ApiProperty({ type: () => [UnavailableIssuer] })
  readonly unavailable: UnavailableIssuer[];
}
