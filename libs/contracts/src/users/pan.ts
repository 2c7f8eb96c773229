import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PanErrors } from '@fd/errors';
import { Allow } from 'class-validator';
import { BlankAsAbsent, type Check, Checks, CONSENT_RULES } from '../fields.decorator.js';
import { indiaDateOf, isCalendarDate } from '../values/calendar-date.js';
import { isPan } from '../values/pan.js';

/** Whether a value is present and not blank. */
const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '');

/** Query of `POST /api/v1/pan-verification`. */
export class PanVerificationQuery {
  @ApiPropertyOptional({ type: String, example: 'ARAVFIN', description: 'The issuer whose journey this is.' })
  @BlankAsAbsent()
  @Allow()
  readonly issuer_code?: unknown;

  @ApiPropertyOptional({ type: String, example: 'BANK', description: 'Accepted and ignored.' })
  @Allow()
  readonly issuer_type?: unknown;

  @ApiPropertyOptional({ type: String, example: 'false', description: 'Accepted and ignored.' })
  @Allow()
  readonly credit_card?: unknown;
}

/** Rules of a PAN, if it is given. */
const PAN_FORM: readonly Check[] = [
  [PanErrors.wrongLength, (value) => typeof value !== 'string' || !isFilled(value) || value.length === 10],
  [
    PanErrors.malformed,
    (value) => !isFilled(value) || (typeof value === 'string' && value.length !== 10) || isPan(value),
  ],
];

/** Rules of a date of birth, if it is given. */
const BIRTH_DATE_FORM: readonly Check[] = [
  [PanErrors.birthDateInvalid, (value) => !isFilled(value) || isCalendarDate(value)],
  [PanErrors.birthDateInFuture, (value) => !isCalendarDate(value) || value <= indiaDateOf(new Date())],
];

const PAN = { type: String, pattern: '^[A-Z]{5}[0-9]{4}[A-Z]$', example: 'ABCDE1234F' } as const;
const BIRTH_DATE = {
  ...{ type: String, format: 'date', example: '1990-04-21', description: 'Not in the future.' },
} as const;

/** A PAN and the date of birth of its holder. */
export class PanAndBirthDate {
  @ApiProperty(PAN)
  @Checks([PanErrors.missing, isFilled], ...PAN_FORM)
  readonly number: string;

  @ApiProperty(BIRTH_DATE)
  @Checks([PanErrors.birthDateMissing, isFilled], ...BIRTH_DATE_FORM)
  readonly dob: string;
}

/** As `PanAndBirthDate`, for calls that need it of users with a verified PAN only. */
export class OptionalPanAndBirthDate {
  @ApiPropertyOptional({ ...PAN, nullable: true })
  @Checks(...PAN_FORM)
  readonly number?: string | null;

  @ApiPropertyOptional({ ...BIRTH_DATE, nullable: true })
  @Checks(...BIRTH_DATE_FORM)
  readonly dob?: string | null;
}

/** `POST /api/v1/pan-verification` */
export class PanVerificationRequest extends PanAndBirthDate {
  @ApiProperty({ type: Boolean, description: 'Must be true: the user consents to the check.' })
  @Checks(...CONSENT_RULES)
  readonly consent_checked: boolean;
}

const PAN_STATUSES = ['VALID'] as const;
const AADHAAR_SEEDING_STATUSES = ['LINKED', 'NOT_LINKED', 'NA'] as const;
/** Whether the holder's Aadhaar is linked to the PAN; NA if the holder need not link it. */
export type AadhaarSeedingStatus = (typeof AADHAAR_SEEDING_STATUSES)[number];

const name = { type: String, nullable: true } as const;

/** The PAN registry's data of the holder. */
export class PanVerificationPayload {
  @ApiProperty({ type: Boolean })
  readonly is_pan_verified: boolean;

  @ApiProperty({ type: String, format: 'uuid', description: 'Equal in every repeat.' })
  readonly verification_id: string;

  @ApiProperty({ type: String, description: 'Masked.', example: 'XXXXXX234F' })
  readonly pan: string;

  @ApiProperty({ type: String, enum: PAN_STATUSES })
  readonly pan_status: (typeof PAN_STATUSES)[number];

  @ApiProperty({ type: String })
  readonly full_name: string;

  @ApiProperty({ type: String })
  readonly first_name: string;

  @ApiProperty(name)
  readonly middle_name: string | null;

  @ApiProperty(name)
  readonly last_name: string | null;

  @ApiProperty(name)
  readonly father_name: string | null;

  @ApiProperty({
    type: Boolean,
    description:
      'Whether the PAN registry compared the date of birth, which then matches. False: the registry that answered compares none.',
  })
  readonly dob_match: boolean;

  @ApiProperty({ type: String, enum: AADHAAR_SEEDING_STATUSES })
  readonly aadhaar_seeding_status: AadhaarSeedingStatus;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly verified_at: string;
}

/** A pending PAN check: HTTP 202. */
export class PanPendingPayload {
  @ApiProperty({ type: Boolean, enum: [false] })
  readonly is_pan_verified: false;

  @ApiProperty({ type: String, format: 'uuid', description: 'Id of the verification to poll.' })
  readonly verification_id: string;

  @ApiProperty({ type: String, enum: [PanErrors.pending.code] })
  readonly pending_code: typeof PanErrors.pending.code;
}
