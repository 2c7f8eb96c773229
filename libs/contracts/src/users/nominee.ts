import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { GeneralErrors, NomineeErrors } from '@fd/errors';
import { Allow } from 'class-validator';
import { BlankAsAbsent, Checks, ifGiven } from '../fields.decorator.js';
import { RELATIONSHIPS, type Relationship } from '../values/relationship.js';

export const NOMINATION_TYPES = ['SIMULTANEOUS', 'SUCCESSIVE'] as const;
/** Whether nominees share a deposit, or each inherits after the death of those before. */
export type NominationType = (typeof NOMINATION_TYPES)[number];

export const MAX_NOMINEES = 4;

const name = { type: String, minLength: 2, maxLength: 100, example: 'Meera Rao' } as const;
const relationship = {
  type: String,
  enum: RELATIONSHIPS,
  example: 'SPOUSE',
  description: 'Case-insensitive; blanks and hyphens count as underscores.',
} as const;
const dob = { type: String, format: 'date', example: '1992-08-17' } as const;

/** The guardian of a nominee under 18, who receives the money. */
export class GuardianInput {
  @ApiProperty(name)
  readonly name: unknown;

  @ApiProperty(relationship)
  readonly relationship: unknown;

  @ApiPropertyOptional({ ...dob, description: 'If present, the guardian must be an adult.' })
  readonly dob?: unknown;
}

export class NomineeAddressInput {
  @ApiPropertyOptional({ type: String, maxLength: 200 })
  readonly line1?: unknown;

  @ApiPropertyOptional({ type: String, maxLength: 200 })
  readonly line2?: unknown;

  @ApiPropertyOptional({ type: String, maxLength: 200 })
  readonly city?: unknown;

  @ApiPropertyOptional({ type: String, maxLength: 200 })
  readonly state_code?: unknown;

  @ApiPropertyOptional({ type: String, pattern: '^[1-9][0-9]{5}$' })
  readonly pincode?: unknown;
}

/**
 * A nominee; only name and relationship are required. The service checks it, since the rules need today's date and the other
 * nominees, and name each field with its index.
 */
@ApiExtraModels(NomineeAddressInput)
export class NomineeInput {
  @ApiPropertyOptional(name)
  @Allow()
  readonly name?: unknown;

  @ApiPropertyOptional(relationship)
  @Allow()
  readonly relationship?: unknown;

  @ApiPropertyOptional({ ...dob, nullable: true, description: 'Decides whether a guardian is needed.' })
  @Allow()
  readonly dob?: unknown;

  @ApiPropertyOptional({ type: String, format: 'email', nullable: true })
  @Allow()
  readonly email?: unknown;

  @ApiPropertyOptional({ type: String, pattern: '^91[0-9]{10}$', nullable: true })
  @Allow()
  readonly phone?: unknown;

  @ApiPropertyOptional({ type: String, pattern: '^[A-Z]{5}[0-9]{4}[A-Z]$', nullable: true })
  @Allow()
  readonly pan?: unknown;

  @ApiPropertyOptional({
    nullable: true,
    oneOf: [{ type: 'string', maxLength: 200 }, { $ref: getSchemaPath(NomineeAddressInput) }],
  })
  @Allow()
  readonly address?: unknown;

  @ApiPropertyOptional({
    type: 'number',
    minimum: 1,
    maximum: 100,
    multipleOf: 0.01,
    default: 100,
    description:
      'Percentage of a nominee who shares with others. A nominee without it gets 100 per cent, so a second one exceeds the total. Successive nominees each receive everything.',
  })
  @Allow()
  readonly share_percentage?: unknown;

  @ApiPropertyOptional({
    type: String,
    enum: NOMINATION_TYPES,
    description: 'The same for all nominees. Defaults to the type of the others, else SIMULTANEOUS.',
  })
  @Allow()
  readonly nomination_type?: unknown;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    description: 'Position of a successive nominee; each position once. Defaults to the end.',
  })
  @Allow()
  readonly priority?: unknown;

  @ApiPropertyOptional({
    type: () => GuardianInput,
    nullable: true,
    description: 'Required for a nominee under 18; not stored for an adult.',
  })
  @Allow()
  readonly guardian?: unknown;
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** `POST /api/v1/user-nominee`: one nominee, `nominees`, or `skip_nominee` with `declaration_accepted`. */
export class CreateNomineesRequest extends NomineeInput {
  @ApiPropertyOptional({ type: String, example: 'ARAVFIN', description: 'The issuer whose journey this is.' })
  @BlankAsAbsent()
  @Allow()
  readonly issuer_code?: unknown;

  @ApiPropertyOptional({ type: Boolean, description: 'Names no nominee. Some issuers do not allow this.' })
  @Allow()
  readonly skip_nominee?: unknown;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'Must be true to skip: the user declares to understand the consequences of naming no nominee.',
  })
  @Allow()
  readonly declaration_accepted?: unknown;

  @ApiPropertyOptional({
    type: () => [NomineeInput],
    minItems: 1,
    maxItems: MAX_NOMINEES,
    description: 'The service adds all of them, or none.',
  })
  @Allow()
  readonly nominees?: unknown;
}

/** Query of `POST /api/v1/user-nominee`. */
export class CreateNomineesQuery {
  @ApiPropertyOptional({
    type: String,
    example: 'ARAVFIN',
    description: 'As in the body, which takes precedence.',
  })
  @BlankAsAbsent()
  @Checks([GeneralErrors.fieldInvalid, ifGiven(isText)])
  readonly issuer_code?: string;
}

/** `PUT /api/v1/user-nominee/{nominee_id}`: absent fields remain unchanged, null removes a value. */
export class UpdateNomineeRequest extends NomineeInput {}

export class GuardianView {
  @ApiProperty({ type: String })
  readonly name: string;

  @ApiProperty({ type: String, enum: RELATIONSHIPS })
  readonly relationship: Relationship;

  @ApiProperty({ type: String, format: 'date', nullable: true })
  readonly dob: string | null;
}

const masked = { type: String, nullable: true, description: 'Masked.' } as const;

/** A nominee on record. */
export class NomineeView {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly nominee_id: string;

  @ApiProperty({ type: String })
  readonly name: string;

  @ApiProperty({ type: String, enum: RELATIONSHIPS })
  readonly relationship: Relationship;

  @ApiProperty({ type: String, format: 'date', nullable: true })
  readonly dob: string | null;

  @ApiProperty({ type: Boolean, nullable: true, description: 'Under 18 today; null if unknown.' })
  readonly is_minor: boolean | null;

  @ApiProperty(masked)
  readonly email: string | null;

  @ApiProperty(masked)
  readonly phone: string | null;

  @ApiProperty(masked)
  readonly pan: string | null;

  @ApiProperty({ type: Boolean, description: 'Whether an address is on record.' })
  readonly has_address: boolean;

  @ApiProperty({ type: 'number', minimum: 1, maximum: 100 })
  readonly share_percentage: number;

  @ApiProperty({ type: String, enum: NOMINATION_TYPES })
  readonly nomination_type: NominationType;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Position of a successive nominee.' })
  readonly priority: number | null;

  @ApiProperty({ type: () => GuardianView, nullable: true })
  readonly guardian: GuardianView | null;
}

const WARNINGS = [
  NomineeErrors.isApplicant.code,
  NomineeErrors.guardianAgeUnknown.code,
  NomineeErrors.guardianIsNominee.code,
] as const;
/** A warning about a nominee that blocks the booking later. */
export type NomineeWarning = (typeof WARNINGS)[number];

const warnings = {
  type: 'string',
  isArray: true,
  enum: WARNINGS,
  description: `These block the booking. ${NomineeErrors.isApplicant.code}: a nominee has the name of the PAN's holder. ${NomineeErrors.guardianAgeUnknown.code}: the guardian of a minor has no date of birth. ${NomineeErrors.guardianIsNominee.code}: the guardian of a minor has the minor's name.`,
} as const;

/** Answer to a new nomination. */
export class NominationPayload {
  @ApiPropertyOptional({ type: String, format: 'uuid', description: 'Id of a nominee that was added alone.' })
  readonly nominee_id?: string;

  @ApiProperty({ type: () => [NomineeView], description: 'Nominees that this call added.' })
  readonly nominees: NomineeView[];

  @ApiProperty({ type: Boolean, description: 'Whether the user has declared to name no nominee.' })
  readonly is_nominee_skipped: boolean;

  @ApiProperty(warnings)
  readonly warnings: NomineeWarning[];
}

/** Answer to a changed nominee. */
export class ChangedNomineePayload extends NomineeView {
  @ApiProperty(warnings)
  readonly warnings: NomineeWarning[];
}

/** The declaration of a person who names no nominee. */
export class SkipDeclaration {
  @ApiProperty({ type: String, example: '2026-11' })
  readonly version: string;

  @ApiProperty({ type: String, description: 'Show it before you send `declaration_accepted`.' })
  readonly text: string;
}

/** `GET /api/v1/user-nominee` */
export class NomineesPayload {
  @ApiProperty({
    type: () => [NomineeView],
    description: 'Successive nominees by position, others in the order of their creation.',
  })
  readonly nominees: NomineeView[];

  @ApiProperty({ type: Boolean, description: 'Whether the user has declared to name no nominee.' })
  readonly is_nominee_skipped: boolean;

  @ApiProperty({ type: () => SkipDeclaration })
  readonly skip_declaration: SkipDeclaration;
}

/** `DELETE /api/v1/user-nominee/{nominee_id}` */
export class RemovedNomineePayload {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of remaining nominees.' })
  readonly nominees_left: number;
}
