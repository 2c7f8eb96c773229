import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ConsentErrors } from '@fd/errors';
import { Allow } from 'class-validator';
import { Checks, ifGiven } from '../fields.decorator.js';

/** One consent on record. */
export class GivenConsent {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly consent_id: string;

  @ApiProperty({ type: String, example: 'PAN_VERIFICATION' })
  readonly purpose: string;

  @ApiProperty({
    type: [String],
    description:
      'Other purposes in its notice: this consent covers them until the user gives them separately.',
    example: ['BANK_ACCOUNT_VERIFICATION', 'ISSUER_SHARING', 'CKYC'],
  })
  readonly covers: string[];

  @ApiProperty({ type: String, description: 'Version of the notice shown to the user.', example: '2026-11' })
  readonly notice_version: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly given_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly withdrawn_at: string | null;

  @ApiProperty({ type: String, format: 'uri', description: 'The partner through which the user gave it.' })
  readonly partner_url: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Hash of the accepted fact sheet; only for DEPOSIT_TERMS, otherwise null.',
  })
  readonly fact_sheet_hash: string | null;
}

/** `POST /api/v1/consents/{consent_id}/withdraw` */
export class WithdrawnConsent extends GivenConsent {
  @ApiProperty({
    type: [String],
    description:
      'Steps that the service refuses in sessions of this partner until the user gives the consent again. Empty while another consent to the purpose, such as one to an earlier notice, is in force there.',
    example: ['LEAD', 'EKYC', 'BANK'],
  })
  readonly suspended_steps: string[];
}

/** `GET /api/v1/consents` */
export class ConsentsPayload {
  @ApiProperty({ type: () => [GivenConsent], description: 'Consents in force first, then the newest first.' })
  readonly consents: GivenConsent[];
}

/** `POST /api/v1/consents` */
export class GiveConsentRequest {
  @ApiProperty({
    type: String,
    example: 'ISSUER_SHARING',
    description: 'A purpose from the consent notices.',
  })
  @Allow()
  readonly purpose: unknown;

  @ApiProperty({ type: String, example: '2026-11', description: 'Version of the notice shown to the user.' })
  @Allow()
  readonly notice_version: unknown;
}

export const NOTICE_LANGUAGES = ['en', 'hi'] as const;
export type NoticeLanguage = (typeof NOTICE_LANGUAGES)[number];
export const isNoticeLanguage = (value: unknown): boolean =>
  NOTICE_LANGUAGES.some((known) => known === value);

/** `GET /api/v1/consent-notices` */
export class ConsentNoticesQuery {
  @ApiPropertyOptional({ enum: NOTICE_LANGUAGES, default: 'en' })
  @Checks([ConsentErrors.languageUnknown, ifGiven(isNoticeLanguage)])
  readonly lang?: NoticeLanguage;
}

/** The notice to show with the request for a consent. */
export class ConsentNotice {
  @ApiProperty({ type: String, example: 'ISSUER_SHARING' })
  readonly purpose: string;

  @ApiProperty({ type: String, example: '2026-11' })
  readonly notice_version: string;

  @ApiProperty({ type: String })
  readonly title: string;

  @ApiProperty({ type: String })
  readonly text: string;

  @ApiProperty({ type: [String], description: 'The personal data it covers.' })
  readonly data: string[];

  @ApiProperty({ type: String, description: 'How to withdraw it, and where to complain.' })
  readonly withdrawal_text: string;

  @ApiProperty({
    type: [String],
    description:
      'Other purposes in the notice: its consent covers them until the user gives them separately.',
  })
  readonly covers: string[];

  @ApiProperty({ type: [String], description: 'Calls that give this consent by a field of their own.' })
  readonly given_by: string[];

  @ApiProperty({
    type: [String],
    description: 'Steps that the service refuses while it is withdrawn.',
    example: ['CHECK_ETB', 'LEAD', 'KYC_CONTEXT', 'BANK', 'BOOKING'],
  })
  readonly suspended_steps: string[];
}

export class ConsentNoticesPayload {
  @ApiProperty({ enum: NOTICE_LANGUAGES })
  readonly lang: NoticeLanguage;

  @ApiProperty({ type: () => [ConsentNotice] })
  readonly notices: ConsentNotice[];
}
