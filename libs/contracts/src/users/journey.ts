import { ApiProperty } from '@nestjs/swagger';

/** Every step that an issuer's journey may have. */
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

/** The call that does a step. */
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
    description: 'LOCKED: an earlier required step is open. DUE: may be done now.',
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
}

/** `GET /issuer-apis/{issuer_slug}/v1/journey`: where the user stands with one issuer. */
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
