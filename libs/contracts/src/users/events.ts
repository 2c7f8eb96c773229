import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { GeneralErrors } from '@fd/errors';
import { Type } from 'class-transformer';
import { Allow } from 'class-validator';
import { Checks, ifGiven } from '../fields.decorator.js';
import { JOURNEY_STEPS, type JourneyStepName } from './journey.js';

const MAX_EVENTS = 100;

const isPageSize = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_EVENTS;

/** `GET /partner/v1/events` */
export class PartnerEventsQuery {
  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    description: 'The id of the last event that was read. Without it: from the oldest.',
  })
  @Allow()
  readonly after?: unknown;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_EVENTS, default: MAX_EVENTS })
  @Type(() => Number)
  @Checks([GeneralErrors.fieldInvalid, ifGiven(isPageSize)])
  readonly limit?: number;
}

/** What an event is about: ids and fixed words, no personal data. */
export class PartnerEventData {
  @ApiProperty({ type: String, format: 'uuid', description: 'The `sub` of the partner token.' })
  readonly user_id: string;

  @ApiProperty({ type: String, nullable: true, example: 'ARAVFIN' })
  readonly issuer_code: string | null;

  @ApiProperty({ enum: JOURNEY_STEPS, nullable: true, example: 'BANK' })
  readonly step: JourneyStepName | null;

  @ApiProperty({ type: String, nullable: true, description: 'The state of the step.', example: 'DONE' })
  readonly status: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The cause: an error code or a fixed word; for a consent its purpose.',
    example: 'BANK_NAME_IN_REVIEW',
  })
  readonly reason_code: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: "The path at which the user's session reads more.",
    example: '/issuer-apis/aravalli/v1/journey',
  })
  readonly link: string | null;
}

/** An event, as it is delivered and as it is read. */
export class PartnerEventView {
  @ApiProperty({
    type: String,
    format: 'uuid',
    description: 'The same in every delivery (`webhook-id`): drop repeats by it.',
  })
  readonly id: string;

  @ApiProperty({ type: String, example: 'bank.registered' })
  readonly type: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When it happened.' })
  readonly timestamp: string;

  @ApiProperty({ type: PartnerEventData })
  readonly data: PartnerEventData;
}

/** `GET /partner/v1/events` */
export class PartnerEventsPayload {
  @ApiProperty({ type: () => [PartnerEventView] })
  readonly events: PartnerEventView[];

  @ApiProperty({ type: Boolean, description: 'Whether more follow: read on after the last one.' })
  readonly has_more: boolean;
}

/** The delivery of an event to the partner's address. */
export class EventDelivery {
  @ApiProperty({
    enum: ['WAITING', 'DELIVERED', 'PARKED'],
    description: 'PARKED: given up after three days, or not meant for delivery; it can be replayed.',
  })
  readonly state: 'WAITING' | 'DELIVERED' | 'PARKED';

  @ApiProperty({ type: 'integer', description: 'Failed tries since it became due.' })
  readonly failures: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly last_tried_at: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The HTTP status of the latest answer, or why there was none.',
    example: 'NO_ANSWER_IN_TIME',
  })
  readonly last_answer: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Only while it waits.' })
  readonly next_try_at: string | null;
}

/** `GET /partner/v1/events/{event_id}` */
export class PartnerEventPayload {
  @ApiProperty({ type: PartnerEventView })
  readonly event: PartnerEventView;

  @ApiProperty({ type: EventDelivery })
  readonly delivery: EventDelivery;
}

/** `POST /partner/v1/events/{event_id}/replay` */
export class ReplayedEventPayload {
  @ApiProperty({ type: Boolean, description: 'False for an event whose delivery is still tried.' })
  readonly is_replayed: boolean;
}
