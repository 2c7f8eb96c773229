import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { BlankAsAbsent } from '../fields.decorator.js';

/** Query of all calls about personal details. */
export class PersonalDetailsQuery {
  @ApiPropertyOptional({
    type: String,
    example: 'ARAVFIN',
    description:
      'The issuer whose fields are required. Defaults to the issuer that the user chose last, if any.',
  })
  @BlankAsAbsent()
  @Allow()
  readonly issuer_code?: unknown;
}

export class PersonalAddressInput {
  @ApiProperty({ type: String, maxLength: 200, example: '12, Lake Road' })
  readonly line1: unknown;

  @ApiPropertyOptional({ type: String, maxLength: 200, nullable: true })
  readonly line2?: unknown;

  @ApiProperty({ type: String, maxLength: 100, example: 'Bengaluru' })
  readonly city: unknown;

  @ApiProperty({ type: String, example: 'KA', description: 'Key of one of the options.' })
  readonly state_code: unknown;

  @ApiProperty({ type: String, pattern: '^[1-9][0-9]{5}$', example: '560001' })
  readonly pincode: unknown;
}

/** A person's answer to one declaration. */
export class DeclarationInput {
  @ApiProperty({ type: String, example: 'OWN_FUNDS' })
  readonly code: unknown;

  @ApiProperty({ type: String, example: '2026-11', description: 'Version of the text shown to the user.' })
  readonly version: unknown;

  @ApiProperty({ type: Boolean })
  readonly accepted: unknown;
}

const option = { type: String, nullable: true, description: 'Key of one of the options.' } as const;
const text = { type: String, minLength: 2, maxLength: 100, nullable: true } as const;
const flag = { type: Boolean, nullable: true } as const;

/**
 * `POST /api/v1/personal-details`. Required fields are data of the issuer, so the service checks them: the journey and
 * `expected_params` contain them as a JSON Schema. Saved values need not be sent again.
 */
export class PersonalDetailsRequest {
  @ApiPropertyOptional({ ...option, example: 'FEMALE' })
  @Allow()
  readonly gender?: unknown;

  @ApiPropertyOptional({ ...option, example: 'MARRIED' })
  @Allow()
  readonly marital_status?: unknown;

  @ApiPropertyOptional({ ...text, example: 'Lakshmi Rao' })
  @Allow()
  readonly mother_name?: unknown;

  @ApiPropertyOptional({ ...option, example: 'SALARIED' })
  @Allow()
  readonly occupation?: unknown;

  @ApiPropertyOptional({ ...option, example: 'FROM_5_TO_10_LAKH' })
  @Allow()
  readonly annual_income_range?: unknown;

  @ApiPropertyOptional({ ...option, example: 'SALARY' })
  @Allow()
  readonly source_of_funds?: unknown;

  @ApiPropertyOptional({ ...text, example: 'Mysuru' })
  @Allow()
  readonly place_of_birth?: unknown;

  @ApiPropertyOptional({ ...option, example: 'INDIAN' })
  @Allow()
  readonly nationality?: unknown;

  @ApiPropertyOptional({ ...option, example: 'RESIDENT' })
  @Allow()
  readonly residential_status?: unknown;

  @ApiPropertyOptional({
    type: () => PersonalAddressInput,
    nullable: true,
    description: 'Replaces the whole previous address.',
  })
  @Allow()
  readonly communication_address?: unknown;

  @ApiPropertyOptional({ ...flag, description: 'Whether the user is a politically exposed person.' })
  @Allow()
  readonly is_pep?: unknown;

  @ApiPropertyOptional({ ...flag, description: 'Whether the user is a tax resident of India only.' })
  @Allow()
  readonly is_tax_resident_india_only?: unknown;

  @ApiPropertyOptional({ type: () => [DeclarationInput], nullable: true })
  @Allow()
  readonly declarations?: unknown;
}

export class PersonalAddress {
  @ApiProperty({ type: String })
  readonly line1: string;

  @ApiProperty({ type: String, nullable: true })
  readonly line2: string | null;

  @ApiProperty({ type: String })
  readonly city: string;

  @ApiProperty({ type: String })
  readonly state_code: string;

  @ApiProperty({ type: String })
  readonly pincode: string;
}

/** A declaration on record. */
export class AcceptedDeclaration {
  @ApiProperty({ type: String, example: 'OWN_FUNDS' })
  readonly code: string;

  @ApiProperty({ type: String, example: '2026-11' })
  readonly version: string;

  @ApiProperty({ type: Boolean, enum: [true] })
  readonly accepted: true;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly accepted_at: string;
}

const answer = { type: String, nullable: true } as const;

/** The stored details and the fields that an issuer still requires: all keys are present, with null for unknown values. */
export class PersonalDetailsPayload {
  @ApiProperty({
    ...answer,
    description: 'The issuer whose fields are listed; null while no issuer is chosen.',
  })
  readonly issuer_code: string | null;

  @ApiProperty(answer)
  readonly gender: string | null;

  @ApiProperty(answer)
  readonly marital_status: string | null;

  @ApiProperty(answer)
  readonly mother_name: string | null;

  @ApiProperty(answer)
  readonly occupation: string | null;

  @ApiProperty(answer)
  readonly annual_income_range: string | null;

  @ApiProperty(answer)
  readonly source_of_funds: string | null;

  @ApiProperty(answer)
  readonly place_of_birth: string | null;

  @ApiProperty(answer)
  readonly nationality: string | null;

  @ApiProperty(answer)
  readonly residential_status: string | null;

  @ApiProperty({ type: () => PersonalAddress, nullable: true })
  readonly communication_address: PersonalAddress | null;

  @ApiProperty(flag)
  readonly is_pep: boolean | null;

  @ApiProperty(flag)
  readonly is_tax_resident_india_only: boolean | null;

  @ApiProperty({ type: () => [AcceptedDeclaration], description: 'Accepted in the current version.' })
  readonly declarations: AcceptedDeclaration[];

  @ApiProperty({
    type: [String],
    description: 'Fields that the issuer still requires, named as in refusals; empty if complete.',
    example: ['mother_name', 'declarations.FATCA'],
  })
  readonly missing: string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema (2020-12) of all fields of the issuer.',
  })
  readonly expected_params: object;
}

export class DetailOption {
  @ApiProperty({ type: String, description: 'The value to send.', example: 'SALARIED' })
  readonly key: string;

  @ApiProperty({ type: String, description: 'The label to show.', example: 'Salaried' })
  readonly value: string;
}

const options = { type: () => [DetailOption] };

/** The options of each field with a choice. */
export class DetailOptions {
  @ApiProperty(options)
  readonly gender: readonly DetailOption[];

  @ApiProperty(options)
  readonly marital_status: readonly DetailOption[];

  @ApiProperty(options)
  readonly occupation: readonly DetailOption[];

  @ApiProperty(options)
  readonly annual_income_range: readonly DetailOption[];

  @ApiProperty(options)
  readonly source_of_funds: readonly DetailOption[];

  @ApiProperty(options)
  readonly nationality: readonly DetailOption[];

  @ApiProperty(options)
  readonly residential_status: readonly DetailOption[];

  @ApiProperty({ ...options, description: 'Of an address.' })
  readonly state_code: readonly DetailOption[];
}

export class DeclarationText {
  @ApiProperty({ type: String, example: 'OWN_FUNDS' })
  readonly code: string;

  @ApiProperty({ type: String, description: 'Send it back with the answer.', example: '2026-11' })
  readonly version: string;

  @ApiProperty({ type: String, description: 'The text that the user accepts.' })
  readonly text: string;
}

/** `GET /api/v1/personal-details/options` */
export class PersonalDetailsOptionsPayload {
  @ApiProperty({ type: () => DetailOptions })
  readonly options: DetailOptions;

  @ApiProperty({
    type: () => [DeclarationText],
    description: 'Declarations that the issuer requires; all of them while no issuer is chosen.',
  })
  readonly declarations: DeclarationText[];
}
