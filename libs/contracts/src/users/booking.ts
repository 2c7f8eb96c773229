import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ConsentErrors, JourneyErrors, NomineeErrors, PanErrors } from '@fd/errors';
import { Checks, ifGiven } from '../fields.decorator.js';
import { isNoticeLanguage, NOTICE_LANGUAGES, type NoticeLanguage } from './consents.js';

/** Codes of findings of a booking check, in their order. */
const BOOKING_CODES = [
  JourneyErrors.stepMissing.code,
  ConsentErrors.factSheetNotShown.code,
  PanErrors.applicantMinor.code,
  PanErrors.notOfPerson.code,
  PanErrors.inoperative.code,
  NomineeErrors.required.code,
  NomineeErrors.sharesIncomplete.code,
  NomineeErrors.guardianAgeUnknown.code,
  NomineeErrors.guardianIsNominee.code,
  NomineeErrors.tooManyForIssuer.code,
  NomineeErrors.isApplicant.code,
] as const;
export type BookingCode = (typeof BOOKING_CODES)[number];

/** A finding of a booking check: it blocks the booking, or only warns. */
export class BookingFinding {
  @ApiProperty({
    type: String,
    enum: BOOKING_CODES,
    description: 'docs/journey.md lists what each means and when it blocks.',
  })
  readonly code: BookingCode;

  @ApiProperty({ type: String, description: 'Text for the user.' })
  readonly message: string;

  @ApiProperty({ type: String, example: 'NOMINEE', description: 'Step of the journey that resolves it.' })
  readonly step: string;

  @ApiProperty({ type: String, description: 'What the user can do, as text for the user.' })
  readonly way_out: string;
}

const isSha256 = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const isSignature = (value: unknown): boolean =>
  typeof value === 'string' && /^[\w-]{1,32}\.[\w-]{43}$/.test(value);

/** `GET /issuer-apis/{issuer_slug}/v1/booking-check` */
export class BookingCheckQuery {
  @ApiPropertyOptional({
    type: String,
    pattern: '^[0-9a-f]{64}$',
    description:
      'Hash of the fact sheet that the user has accepted. The service records it with a consent to these terms.',
  })
  @Checks([ConsentErrors.factSheetHashInvalid, ifGiven(isSha256)])
  readonly fact_sheet_hash?: string;

  @ApiPropertyOptional({
    type: String,
    pattern: '^[A-Za-z0-9_-]{1,32}\\.[A-Za-z0-9_-]{43}$',
    description:
      'The `signature` of that fact sheet: it proves that the sheet was issued for a deposit with this issuer.',
  })
  @Checks([ConsentErrors.factSheetSignatureInvalid, ifGiven(isSignature)])
  readonly fact_sheet_signature?: string;

  @ApiPropertyOptional({ enum: NOTICE_LANGUAGES, default: 'en', description: 'Language of the texts.' })
  @Checks([ConsentErrors.languageUnknown, ifGiven(isNoticeLanguage)])
  readonly lang?: NoticeLanguage;
}

/** What blocks the booking, and what the user should know before it. */
export class BookingCheckPayload {
  @ApiProperty({ type: Boolean, description: 'True if there are no blockers.' })
  readonly is_bookable: boolean;

  @ApiProperty({ type: () => [BookingFinding], description: 'Open steps first, then in journey order.' })
  readonly blockers: BookingFinding[];

  @ApiProperty({
    type: () => [BookingFinding],
    description: 'Findings that do not block the booking with this issuer.',
  })
  readonly warnings: BookingFinding[];
}
