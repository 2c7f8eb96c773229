import { BadRequestException, Body, Controller, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { PartnerEventPayload } from '@fd/contracts';
import { z } from 'zod';
import { indiaTime } from '../http/india-time.js';
import { BackendClient, BackendProblem, EVENTS_KEPT } from './backend-client.service.js';
import { BackendSecrets } from './backend-secrets.js';
import { type Behaviour, BEHAVIOURS, type DeliveryTry, EventReceiver } from './event-receiver.service.js';

class DeliveryTryView {
  @ApiProperty({ type: String, format: 'uuid', description: 'In the order of arrival.' })
  readonly id: string;

  @ApiProperty({ type: String, format: 'date-time', description: "By the machine's clock." })
  readonly received_at: string;

  @ApiProperty({ type: String, nullable: true, description: 'The header `webhook-id`.' })
  readonly event_id: string | null;

  @ApiProperty({ type: 'integer', example: 1, description: 'The number of the try for this event.' })
  readonly try_number: number;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  readonly headers: Readonly<Record<string, string>>;

  @ApiProperty({ type: String, description: 'As it was received.' })
  readonly body: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the signature is not verified; null if it is.',
  })
  readonly signature_problem: string | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 204, description: 'Null: no answer.' })
  readonly status: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How long the sender has waited for a missing answer; null while it waits.',
  })
  readonly waited_ms: number | null;
}

class DeliveriesView {
  @ApiProperty({
    type: Boolean,
    description: 'Whether the sandbox has the secret and the key of the backend.',
  })
  readonly is_subscribed: boolean;

  @ApiProperty({ enum: BEHAVIOURS })
  readonly behaviour: Behaviour;

  @ApiProperty({ type: [DeliveryTryView], description: 'Newest first.' })
  readonly tries: DeliveryTryView[];
}

class BehaviourBody {
  @ApiProperty({ enum: BEHAVIOURS })
  readonly behaviour: Behaviour;
}

class BackendEventsView {
  @ApiProperty({ type: () => [PartnerEventPayload], description: `The newest ${EVENTS_KEPT}, newest first.` })
  readonly events: PartnerEventPayload[];

  @ApiProperty({ type: String, nullable: true, description: 'Why the events could not be read.' })
  readonly problem: string | null;
}

class ReplayView {
  @ApiProperty({ type: Boolean, description: 'False while the delivery is still tried.' })
  readonly is_replayed: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'Why it could not be replayed.' })
  readonly problem: string | null;
}

const order = z.object({ behaviour: z.enum(BEHAVIOURS) });

/** For the console: what the backend of the sample partner gets, and what it does with its key. */
@Controller('api/partner-events')
export class PartnerEventsController {
  constructor(
    private readonly secrets: BackendSecrets,
    private readonly receiver: EventReceiver,
    private readonly client: BackendClient,
  ) {}

  @Get('deliveries')
  @ApiOperation({
    summary: 'The tries to deliver events to the sample partner, with their signatures and answers',
  })
  @ApiOkResponse({ type: DeliveriesView })
  deliveries(): DeliveriesView {
    return {
      is_subscribed: this.secrets.read() !== undefined,
      behaviour: this.receiver.behaviour,
      tries: this.receiver.list().map(present),
    };
  }

  @Put('behaviour')
  @HttpCode(204)
  @ApiOperation({
    summary:
      'Says how the backend answers verified deliveries: 204, 500, never, or 410. Those that hang are cut.',
  })
  @ApiBody({ type: BehaviourBody })
  @ApiNoContentResponse()
  behave(@Body() body: unknown): void {
    const { data } = order.safeParse(body);
    if (!data) throw new BadRequestException(`Give "behaviour": ${BEHAVIOURS.join(', ')}.`);
    this.receiver.behaveAs(data.behaviour);
  }

  @Get()
  @ApiOperation({ summary: 'The events as the backend reads them with its key, each with its delivery' })
  @ApiOkResponse({ type: BackendEventsView })
  async list(): Promise<BackendEventsView> {
    return withProblem({ events: [] }, async () => ({ events: await this.client.list() }));
  }

  @Post(':event_id/replay')
  @HttpCode(200)
  @ApiOperation({ summary: 'Lets users-service deliver an event again, as the backend can with its key' })
  @ApiOkResponse({ type: ReplayView })
  async replay(@Param('event_id') id: string): Promise<ReplayView> {
    return withProblem({ is_replayed: false }, async () => ({ is_replayed: await this.client.replay(id) }));
  }
}

async function withProblem<Result>(
  otherwise: Result,
  work: () => Promise<Result>,
): Promise<Result & { problem: string | null }> {
  try {
    return { ...(await work()), problem: null };
  } catch (error) {
    if (error instanceof BackendProblem) return { ...otherwise, problem: error.message };
    throw error;
  }
}

function present({ id, receivedAt, eventId, number, headers, body, ...rest }: DeliveryTry): DeliveryTryView {
  const { problem, status, waitedMs } = rest;
  return {
    ...{ id, received_at: indiaTime(receivedAt), event_id: eventId, try_number: number, headers, body },
    ...{ signature_problem: problem, status, waited_ms: waitedMs },
  };
}
