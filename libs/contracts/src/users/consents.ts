import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ConsentErrors } from '@fd/errors';
import { Checks, ifGiven } from '../fields/checks.decorator.js';

/** One consent on record. */
export class GivenConsent {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly consent_id: string;

  @ApiProperty({ type: String, example: 'PAN_VERIFICATION' })
  readonly purpose: string;

  @ApiProperty({
    type: [String],
    description: 'Other purposes that its notice names: they rest on it until they are given by themselves.',
    example: ['BANK_ACCOUNT_VERIFICATION', 'ISSUER_SHARING', 'CKYC'],
  })
  readonly covers: string[];

  @ApiProperty({ type: String, description: 'Version of the notice that was shown.', example: '2026-11' })
  readonly notice_version: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly given_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly withdrawn_at: string | null;

  @ApiProperty({ type: String, format: 'uri', description: 'The partner through which it was given.' })
  readonly partner_url: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Hash of the fact sheet that was agreed to. Null for all purposes but DEPOSIT_TERMS.',
  })
  readonly fact_sheet_hash: string | null;
}

/** `POST /api/v1/consents/{consent_id}/withdraw` */
export class WithdrawnConsent extends GivenConsent {
  @ApiProperty({
    type: [String],
    description:
      'Steps that are refused in sessions of the same partner until the consent is given again. Empty while another consent to the same purpose, such as one to a former notice, is in force there.',
    example: ['LEAD', 'EKYC', 'BANK'],
  })
  readonly suspended_steps: string[];
}

/** `GET /api/v1/consents` */
export class ConsentsPayload {
  @ApiProperty({ type: () => [GivenConsent], description: 'Those in force first, then the newest.' })
  readonly consents: GivenConsent[];
}

/** `POST /api/v1/consents` */
export class GiveConsentRequest {
  @ApiProperty({ type: String, example: 'ISSUER_SHARING', description: 'A purpose of the notices.' })
  @Checks([ConsentErrors.purposeUnknown, (value) => typeof value === 'string'])
  readonly purpose: string;

  @ApiProperty({ type: String, example: '2026-11', description: 'Version of the notice that was shown.' })
  @Checks([ConsentErrors.noticeOutdated, (value) => typeof value === 'string'])
  readonly notice_version: string;
}

const NOTICE_LANGUAGES = ['en', 'hi'] as const;
export type NoticeLanguage = (typeof NOTICE_LANGUAGES)[number];

/** `GET /api/v1/consent-notices` */
export class ConsentNoticesQuery {
  @ApiPropertyOptional({ enum: NOTICE_LANGUAGES, default: 'en' })
  @Checks([
    ConsentErrors.languageUnknown,
    ifGiven((value) => NOTICE_LANGUAGES.includes(value as NoticeLanguage)),
  ])
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

  @ApiProperty({ type: [String], description: 'The data that it concerns.' })
  readonly data: string[];

  @ApiProperty({ type: String, description: 'How it is withdrawn, and where to complain.' })
  readonly withdrawal_text: string;

  @ApiProperty({
    type: [String],
    description: 'Other purposes that it names: they rest on it until they are given by themselves.',
  })
  readonly covers: string[];

  @ApiProperty({ type: [String], description: 'Calls whose own field gives it.' })
  readonly given_by: string[];

  @ApiProperty({
    type: [String],
    description: 'Steps that are refused while it is withdrawn.',
    example: ['CHECK_ETB', 'LEAD', 'KYC_CONTEXT', 'BANK'],
  })
  readonly suspended_steps: string[];
}

export class ConsentNoticesPayload {
  @ApiProperty({ enum: NOTICE_LANGUAGES })
  readonly lang: NoticeLanguage;

  @ApiProperty({ type: () => [ConsentNotice] })
  readonly notices: ConsentNotice[];
}
