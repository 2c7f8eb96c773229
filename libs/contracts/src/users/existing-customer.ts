import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';

const flow = { type: String, nullable: true, maxLength: 50, example: 'SA' } as const;

/** `POST /issuer-apis/{issuer_slug}/v2/check-etb` */
export class CheckEtbRequest {
  // both names are checked once the issuer is known, since they name its flows
  @ApiPropertyOptional({
    ...flow,
    description: 'A flow beside the usual one. SA (savings account) is accepted at every issuer.',
  })
  @Allow()
  readonly flowId?: unknown;

  @ApiPropertyOptional({ ...flow, description: 'The same as flowId.' })
  @Allow()
  readonly flow_id?: unknown;
}

export const CUSTOMER_TYPES = ['ETB', 'NTB'] as const;
export const CUSTOMER_MATCHES = ['PAN', 'PHONE'] as const;

/** Whether an issuer knows the customer, and the steps that are not needed then. */
export class CheckEtbPayload {
  @ApiProperty({ type: Boolean, description: 'Whether the issuer has the customer already.' })
  readonly is_etb: boolean;

  @ApiProperty({ type: String, enum: CUSTOMER_TYPES })
  readonly customer_type: (typeof CUSTOMER_TYPES)[number];

  @ApiProperty({ type: String, nullable: true, description: 'Masked.', example: 'XXXXXX4711' })
  readonly customer_id: string | null;

  @ApiProperty({ type: [String], enum: CUSTOMER_MATCHES, description: 'By what the customer was found.' })
  readonly matched_on: (typeof CUSTOMER_MATCHES)[number][];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'As asked for; null for the usual flow, also where the issuer has no savings-account flow.',
  })
  readonly flow_id: string | null;

  @ApiProperty({ type: Boolean, description: 'Whether eKYC is still to be done for this issuer.' })
  readonly is_ekyc_required: boolean;

  @ApiProperty({
    type: [String],
    description: 'Steps that the issuer spares this customer.',
    example: ['EKYC'],
  })
  readonly skipped_steps: string[];

  @ApiProperty({ type: String, nullable: true, description: 'The first required step that is open.' })
  readonly next_step: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly checked_at: string;
}
