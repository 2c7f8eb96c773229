import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ConsentErrors, JourneyErrors, NomineeErrors } from '@fd/errors';
import { Checks, ifGiven } from '../fields/checks.decorator.js';

/** Codes of reasons that block a booking. */
const BLOCKER_CODES = [
  JourneyErrors.stepMissing.code,
  NomineeErrors.required.code,
  NomineeErrors.sharesIncomplete.code,
  NomineeErrors.isApplicant.code,
] as const;
export type BlockerCode = (typeof BLOCKER_CODES)[number];

/** A reason that blocks a booking. */
export class BookingBlocker {
  @ApiProperty({
    type: String,
    enum: BLOCKER_CODES,
    description: `${JourneyErrors.stepMissing.code}: the step is not completed. ${NomineeErrors.required.code}: the issuer requires a nominee. ${NomineeErrors.sharesIncomplete.code}: the shares do not add up to 100. ${NomineeErrors.isApplicant.code}: a nominee has the name of the PAN's holder.`,
  })
  readonly code: BlockerCode;

  @ApiProperty({ type: String, description: 'Text for the user.' })
  readonly message: string;

  @ApiProperty({ type: String, example: 'NOMINEE', description: 'Step of the journey that resolves it.' })
  readonly step: string;
}

const isSha256 = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

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
}

/** Reasons that block the booking. */
export class BookingCheckPayload {
  @ApiProperty({ type: Boolean, description: 'True if there are no blockers.' })
  readonly is_bookable: boolean;

  @ApiProperty({ type: () => [BookingBlocker], description: 'In journey order.' })
  readonly blockers: BookingBlocker[];
}
