import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { GeneralErrors } from '@fd/errors';
import { Checks, ifGiven } from '../fields/checks.decorator.js';

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
    enum: ['true', 'false'],
    description:
      'true: `expected_params` of FD_DETAIL is the whole body of its call, with every event that may be reported. Otherwise it is one of the events that do the step.',
  })
  @Checks([GeneralErrors.fieldInvalid, ifGiven((value) => value === 'true' || value === 'false')])
  readonly all_events?: 'true' | 'false';
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
      'DUE: may be done now. LOCKED: an earlier required step is open; its call works all the same, unless the service runs with STRICT_JOURNEY. SKIPPED: it only informs, and a later step is done. FAILED: may be done again.',
  })
  readonly status: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why it is so, as a stable token: mostly the error code of what failed.',
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
    description: 'Of EKYC only: the ways of eKYC that the issuer offers.',
  })
  readonly ekyc_methods?: string[];
}

/** `GET /issuer-apis/{issuer_slug}/v1/journey`: the user's progress with an issuer. */
export class JourneyPayload {
  @ApiProperty({ type: String, example: 'ARAVFIN' })
  readonly issuer_code: string;

  @ApiProperty({ type: () => [JourneyStepView], description: 'In the order of the journey.' })
  readonly steps: JourneyStepView[];

  @ApiProperty({
    type: String,
    enum: [...JOURNEY_STEPS, null],
    nullable: true,
    description: 'The first required step that is open; null: all are done.',
  })
  readonly next_step: string | null;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100 })
  readonly percent_complete: number;
}
