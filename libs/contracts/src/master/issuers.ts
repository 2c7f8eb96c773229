import { ApiProperty } from '@nestjs/swagger';
import { PAYOUT_FREQUENCIES, type PayoutFrequency } from './deposit-terms.js';
import { IssuerData } from './issuer-detail.js';

/** An issuer in the list: its data, and the data of its products for lists and filters. */
export class IssuerListItem extends IssuerData {
  @ApiProperty({ type: String, example: 'aravalli' })
  readonly slug: string;

  @ApiProperty({ enum: PAYOUT_FREQUENCIES, isArray: true })
  readonly payout_frequencies: readonly PayoutFrequency[];

  @ApiProperty({ type: Boolean })
  readonly is_women_rate_offered: boolean;

  @ApiProperty({ type: Boolean })
  readonly is_tax_saver_offered: boolean;

  @ApiProperty({ type: 'integer', description: 'Rupees, over all products on sale.' })
  readonly min_investment: number;

  @ApiProperty({ type: 'integer' })
  readonly max_investment: number;

  @ApiProperty({ type: String, nullable: true, description: 'Highest rate on sale, before benefits.' })
  readonly highest_interest: string | null;
}

/** `GET /api/v1/issuers` */
export class IssuersPayload {
  @ApiProperty({ type: () => [IssuerListItem], description: 'By rank.' })
  readonly issuers: IssuerListItem[];
}
