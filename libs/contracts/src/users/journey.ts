import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { GeneralErrors } from '@fd/errors';
import { Checks, FLAG_TEXTS, ifGiven, readFlag, ReadText } from '../fields.decorator.js';

/** All steps of journeys. */
export const JOURNEY_STEPS = [
  'LOGIN',
  'HOME',
  'FD_DETAIL',
  'LEAD',
  'KYC_CONTEXT',
  'PAN',
  'EKYC',
  'EMAIL',
  'PERSONAL_DETAILS',
  'BANK',
  'NOMINEE',
] as const;
export type JourneyStepName = (typeof JOURNEY_STEPS)[number];

/** Query of `GET /issuer-apis/{issuer_slug}/v1/journey`. */
export class JourneyRequest {
  @ApiPropertyOptional({
    type: String,
    enum: FLAG_TEXTS,
    description:
      'True: `expected_params` of FD_DETAIL describes the whole body of its call, with all events. Otherwise it describes only the events that complete the step.',
  })
  @ReadText(readFlag)
  @Checks([GeneralErrors.fieldInvalid, ifGiven((value) => typeof value === 'boolean')])
  readonly all_events?: boolean;
}

/** The call of a step. */
export class JourneyCall {
  @ApiProperty({ type: String, enum: ['GET', 'POST'] })
  readonly method: string;

  @ApiProperty({ type: String, example: '/api/v1/pan-verification' })
  readonly path: string;
}

export class JourneyStepView {
  @ApiProperty({ type: String, enum: JOURNEY_STEPS })
  readonly step: string;

  @ApiProperty({
    type: String,
    enum: ['LOCKED', 'DUE', 'IN_PROGRESS', 'DONE', 'SKIPPED', 'FAILED'],
    description:
      'DUE: can be done now. LOCKED: an earlier required step is open; the call still works, unless the service runs with STRICT_JOURNEY. SKIPPED: an informational step without which a later step was completed. FAILED: can be repeated.',
  })
  readonly status: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Reason for the status, as a stable token: usually the error code of the failure.',
  })
  readonly reason: string | null;

  @ApiProperty({ type: () => JourneyCall })
  readonly api: JourneyCall;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema (2020-12) of the body of that call.',
  })
  readonly expected_params: object;

  @ApiPropertyOptional({
    type: [String],
    enum: ['HOSTED', 'AADHAAR_OTP', 'DIGILOCKER'],
    description: 'Only for EKYC: the eKYC methods that the issuer offers.',
  })
  readonly ekyc_methods?: string[];
}

/** `GET /issuer-apis/{issuer_slug}/v1/journey`: the user's progress with an issuer. */
export class JourneyPayload {
  @ApiProperty({ type: String, example: 'ARAVFIN' })
  readonly issuer_code: string;

  @ApiProperty({ type: () => [JourneyStepView], description: 'In journey order.' })
  readonly steps: JourneyStepView[];

  @ApiProperty({
    type: String,
    enum: [...JOURNEY_STEPS, null],
    nullable: true,
    description: 'The first required step that is not completed; null if all are completed.',
  })
  readonly next_step: string | null;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100 })
  readonly percent_complete: number;
}
