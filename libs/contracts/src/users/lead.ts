import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { GeneralErrors } from '@fd/errors';
import { Allow } from 'class-validator';
import { Checks, ifGiven } from '../fields/checks.decorator.js';

const MAX_CONTEXT_CHARACTERS = 4_000;

/** An object with any fields, up to a limit of size. */
const isContext = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  JSON.stringify(value).length <= MAX_CONTEXT_CHARACTERS;

/** One line of up to 100 characters. */
const isLine = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 100 && !/[\p{Cc}\p{Cs}]/u.test(value);

const isUtm = (value: unknown): boolean =>
  isContext(value) && Object.values(value as object).every(ifGiven(isLine));

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
  @Checks([GeneralErrors.fieldInvalid, ifGiven(isContext)])
  readonly fd_info?: Readonly<Record<string, unknown>> | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 100 },
    nullable: true,
    description: 'Source of the visit; the issuer gets utm_campaign (or campaign).',
    example: { utm_source: 'newsletter', utm_campaign: 'festive' },
  })
  @Checks([GeneralErrors.fieldInvalid, ifGiven(isUtm)])
  readonly utm?: Readonly<Record<string, string | null>> | null;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 100, example: 'APP' })
  @Checks([GeneralErrors.fieldInvalid, ifGiven(isLine)])
  readonly source?: string | null;
}

export const LEAD_STATUSES = ['OPEN'] as const;

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
