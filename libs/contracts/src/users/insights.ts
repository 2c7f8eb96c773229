import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { JOURNEY_STEPS } from './journey.js';

/** Subject of an event: a step of the journey, or the whole journey. */
export const INSIGHT_SUBJECTS = JOURNEY_STEPS;
export type InsightSubject = (typeof INSIGHT_SUBJECTS)[number];

/** Verbs of events of a step. */
const STEP_VERBS = [
  'VIEWED',
  'STARTED',
  'ENTERED',
  'SUBMITTED',
  'VERIFIED',
  'COMPLETED',
  'SKIPPED',
  'FAILED',
  'RETRIED',
  'ABANDONED',
] as const;

const STEP_EVENTS = [...INSIGHT_SUBJECTS, 'STEP' as const].flatMap((subject) =>
  STEP_VERBS.map((verb) => `${subject}_${verb}` as const),
);

/** All events: each verb for each step and for "the step", and events without a step. */
export const INSIGHT_EVENTS = [
  ...STEP_EVENTS,
  'FD_SELECTED',
  'FD_LIST_VIEWED',
  'FD_CALCULATED',
  'BOOKING_STARTED',
  'BOOKING_CHECKED',
  'BOOKING_BLOCKED',
  'PAGE_VIEWED',
  'SCREEN_VIEWED',
  'BUTTON_CLICKED',
  'FIELD_CHANGED',
  'FORM_SUBMITTED',
  'ERROR_SHOWN',
  'HELP_OPENED',
  'CONSENT_GIVEN',
  'OTP_REQUESTED',
  'OTP_RESENT',
  'OTP_SUBMITTED',
  'REDIRECT_STARTED',
  'REDIRECT_RETURNED',
  'SESSION_STARTED',
  'SESSION_ENDED',
] as const;
export type InsightEventName = (typeof INSIGHT_EVENTS)[number];

export const MAX_EVENTS = 50;
export const MAX_PROPERTIES = 20;

/**
 * One event. The service checks it, since the rules need the time and name each field with its index.
 */
export class InsightEventInput {
  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    description: 'Required. Chosen by the client and equal in every repeat, so that an event counts once.',
  })
  @Allow()
  readonly event_id?: unknown;

  @ApiPropertyOptional({
    type: String,
    enum: INSIGHT_EVENTS,
    example: 'PAN_SUBMITTED',
    description: 'Required. Case-insensitive.',
  })
  @Allow()
  readonly event_name?: unknown;

  @ApiPropertyOptional({ type: String, enum: INSIGHT_SUBJECTS, nullable: true, example: 'PAN' })
  @Allow()
  readonly step?: unknown;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'ARAVFIN' })
  @Allow()
  readonly issuer_code?: unknown;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'ISO 8601 with offset, at most one day in the future. Defaults to now.',
  })
  @Allow()
  readonly occurred_at?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    maxProperties: MAX_PROPERTIES,
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: 500 } as never,
    example: { amount: 50000, tenure_days: 730, payout_frequency: 'Monthly' },
    description: 'Flat object without personal data in keys or values.',
  })
  @Allow()
  readonly properties?: unknown;
}

/** `POST /api/v1/insights-tracking`: one event, or `events`. */
export class TrackInsightsRequest extends InsightEventInput {
  @ApiPropertyOptional({
    type: () => [InsightEventInput],
    minItems: 1,
    maxItems: MAX_EVENTS,
    description: 'The service validates all events before it saves any.',
  })
  @Allow()
  readonly events?: unknown;
}

export class TrackInsightsPayload {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of new events.' })
  readonly accepted: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of events that were reported before.' })
  readonly duplicates: number;
}
