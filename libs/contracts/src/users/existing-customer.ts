import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';

const flow = { type: String, nullable: true, maxLength: 50, example: 'SA' } as const;

/** `POST /issuer-apis/{issuer_slug}/v2/check-etb` */
export class CheckEtbRequest {
  // both names are checked once the issuer is known, since they name its flows
  @ApiPropertyOptional({
    ...flow,
    description: 'An alternative flow. SA (savings account) is accepted at every issuer.',
  })
  @Allow()
  readonly flowId?: unknown;

  @ApiPropertyOptional({ ...flow, description: 'The same as flowId.' })
  @Allow()
  readonly flow_id?: unknown;
}

const CUSTOMER_TYPES = ['ETB', 'NTB'] as const;
const CUSTOMER_MATCHES = ['PAN', 'PHONE'] as const;

/** Whether an issuer knows the customer, and the steps that are not needed then. */
export class CheckEtbPayload {
  @ApiProperty({ type: Boolean, description: 'Whether the user is already a customer of the issuer.' })
  readonly is_etb: boolean;

  @ApiProperty({ type: String, enum: CUSTOMER_TYPES })
  readonly customer_type: (typeof CUSTOMER_TYPES)[number];

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Masked. Null until the user has proved to be the customer: the issuer matched the phone too, or an eKYC was completed on the device or phone of the user.',
    example: 'XXXXXX4711',
  })
  readonly customer_id: string | null;

  @ApiProperty({
    type: [String],
    enum: CUSTOMER_MATCHES,
    description: 'Data that matched. Empty while customer_id is null.',
  })
  readonly matched_on: (typeof CUSTOMER_MATCHES)[number][];

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The requested flow; null for the usual flow, and at issuers without a savings-account flow.',
  })
  readonly flow_id: string | null;

  @ApiProperty({ type: Boolean, description: 'Whether this issuer still requires eKYC.' })
  readonly is_ekyc_required: boolean;

  @ApiProperty({
    type: [String],
    description: 'Steps that this customer can skip.',
    example: ['EKYC'],
  })
  readonly skipped_steps: string[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The first required step that is not completed.',
  })
  readonly next_step: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly checked_at: string;
}
