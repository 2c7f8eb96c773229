import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';

/** `POST /issuer-apis/{issuer_slug}/v1/lead` */
export class OpenLeadRequest {
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'The requested deposit: amount (rupees), tenure (days), payout_frequency. Other fields are ignored.',
    example: { amount: 50_000, tenure: 365, payout_frequency: 'Maturity' },
  })
  @Allow()
  readonly fd_info?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 100 },
    nullable: true,
    description: 'Source of the visit; the issuer gets utm_campaign (or campaign).',
    example: { utm_source: 'newsletter', utm_campaign: 'festive' },
  })
  @Allow()
  readonly utm?: unknown;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 100, example: 'APP' })
  @Allow()
  readonly source?: unknown;
}

const LEAD_STATUSES = ['OPEN'] as const;

/** A lead at an issuer. */
export class LeadPayload {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly lead_id: string;

  @ApiProperty({ type: String, enum: LEAD_STATUSES })
  readonly lead_status: (typeof LEAD_STATUSES)[number];

  @ApiProperty({ type: String, format: 'date-time' })
  readonly expires_at: string;
}

/** `POST /issuer-apis/{issuer_slug}/v1/kyc-context` */
export class KycContextRequest {
  // checked once the issuer is known to have leads
  @ApiProperty({ type: String, format: 'uuid', description: 'Id of an open lead.' })
  @Allow()
  readonly lead_id: unknown;
}

/** A declaration for the customer. */
export class KycDeclaration {
  @ApiProperty({ type: String })
  readonly code: string;

  @ApiProperty({ type: String })
  readonly text: string;
}

/** The documents and declarations that the issuer requires before it knows the customer. */
export class KycContextPayload {
  @ApiProperty({ type: String })
  readonly kyc_context_id: string;

  @ApiProperty({ type: [String], example: ['PAN', 'AADHAAR', 'PHOTO'] })
  readonly required_documents: string[];

  @ApiProperty({
    type: () => [KycDeclaration],
    description: 'Show these. They are accepted later, with the personal details.',
  })
  readonly declarations: KycDeclaration[];
}
