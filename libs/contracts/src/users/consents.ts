import { ApiProperty } from '@nestjs/swagger';

/** One consent on record. */
export class GivenConsent {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly consent_id: string;

  @ApiProperty({ type: String, example: 'PAN_VERIFICATION' })
  readonly purpose: string;

  @ApiProperty({ type: String, description: 'Version of the notice that was shown.', example: '2026-11' })
  readonly notice_version: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly given_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly withdrawn_at: string | null;

  @ApiProperty({ type: String, format: 'uri', description: 'The partner through which it was given.' })
  readonly partner_url: string;
}

/** `POST /api/v1/consents/{consent_id}/withdraw` */
export class WithdrawnConsent extends GivenConsent {
  @ApiProperty({
    type: [String],
    description:
      'Steps that are refused until the consent is given again. Empty while the same consent is in force through another partner.',
    example: ['LEAD', 'EKYC', 'BANK'],
  })
  readonly suspended_steps: string[];
}

/** `GET /api/v1/consents` */
export class ConsentsPayload {
  @ApiProperty({ type: () => [GivenConsent], description: 'Those in force first, then the newest.' })
  readonly consents: GivenConsent[];
}
