import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Checks } from '@fd/contracts';
import { type PayoutFrequency, payoutFrequencies } from '../quotes/convention.js';
import { readAmount } from './investment-amount.js';
import type { ProductWish } from './product-matching.js';

// Everything arrives as text; a parameter that is given twice arrives as a list and fails its own check.
const isWholeNumber = (value: unknown): boolean => typeof value === 'string' && /^-?[0-9]+$/.test(value);
const isFrequency = (value: unknown): boolean => (payoutFrequencies as readonly unknown[]).includes(value);
const isFlag = (value: unknown): boolean => value === undefined || value === 'true' || value === 'false';

const FLAG = { enum: ['true', 'false'], default: 'false' };

/** `GET /api/v1/detail/maturity-amount/{issuer_code}`. The fields stand in the order in which they are checked. */
export class QuoteRequest {
  @ApiProperty({ type: 'integer', example: 730, description: 'Days.' })
  @Checks(['SVCMAS2101', isWholeNumber])
  readonly tenure: string;

  @ApiProperty({
    type: 'number',
    example: 100000,
    description: 'Rupees. Text after the number is ignored.',
  })
  @Checks(['SVCMAS2103', (value) => readAmount(value) !== undefined])
  readonly investment_amount: string;

  @ApiProperty({ enum: payoutFrequencies })
  @Checks(['SVCMAS2105', isFrequency])
  readonly payout_frequency: PayoutFrequency;

  @ApiPropertyOptional(FLAG)
  @Checks(['SVCMAS2106', isFlag])
  readonly senior_citizen?: string;

  @ApiPropertyOptional(FLAG)
  @Checks(['SVCMAS2106', isFlag])
  readonly women_citizen?: string;

  @ApiPropertyOptional(FLAG)
  @Checks(['SVCMAS2106', isFlag])
  readonly tax_saver?: string;

  @ApiProperty({ enum: ['FD'] })
  @Checks(['SVCMAS0109', (value) => value === 'FD'])
  readonly product_type: string;

  @ApiPropertyOptional({ ...FLAG, description: 'Adds how the quote came about.' })
  @Checks(['SVCMAS2106', isFlag])
  readonly explain?: string;
}

/** `GET /api/v1/compare`. The same wish for all issuers. */
export class CompareRequest {
  @ApiProperty({ type: 'integer', example: 730, description: 'Days.' })
  @Checks(['SVCMAS2101', isWholeNumber])
  readonly tenure: string;

  @ApiProperty({
    type: 'number',
    example: 100000,
    description: 'Rupees. Text after the number is ignored.',
  })
  @Checks(['SVCMAS2103', (value) => readAmount(value) !== undefined])
  readonly amount: string;

  @ApiPropertyOptional({ enum: payoutFrequencies, default: 'Maturity' })
  @Checks(['SVCMAS2105', (value) => value === undefined || isFrequency(value)])
  readonly payout_frequency?: PayoutFrequency;

  @ApiPropertyOptional(FLAG)
  @Checks(['SVCMAS2106', isFlag])
  readonly senior_citizen?: string;

  @ApiPropertyOptional(FLAG)
  @Checks(['SVCMAS2106', isFlag])
  readonly women_citizen?: string;

  @ApiPropertyOptional(FLAG)
  @Checks(['SVCMAS2106', isFlag])
  readonly tax_saver?: string;

  @ApiPropertyOptional({ enum: ['FD'], default: 'FD' })
  @Checks(['SVCMAS0109', (value) => value === undefined || value === 'FD'])
  readonly product_type?: string;
}

/** What a checked request asks for. */
export function wishOf(request: QuoteRequest | CompareRequest): ProductWish {
  return {
    amountPaise: readAmount('amount' in request ? request.amount : request.investment_amount)!,
    // with too many digits it would become Infinity, which JSON does not have
    tenureDays: Math.min(Number(request.tenure), Number.MAX_SAFE_INTEGER),
    payoutFrequency: request.payout_frequency ?? 'Maturity',
    isSenior: request.senior_citizen === 'true',
    isWoman: request.women_citizen === 'true',
    isTaxSaver: request.tax_saver === 'true',
  };
}
