import { Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import {
  PartnerEventPayload,
  PartnerEventsPayload,
  PartnerEventsQuery,
  ReplayedEventPayload,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { EventErrors, GeneralErrors } from '@fd/errors';
import { Public } from '@fd/platform';
import { Unaudited } from '../../core/index.js';
import { BackendKeyGuard, CallingPartner } from './backend-key.guard.js';
import { EventReader } from './event-reader.service.js';

/** For the backend of a partner, which has a key and no session. */
@ApiTags('Events')
@ApiSecurity('backendKey')
@Controller('partner/v1/events')
@Public()
@UseGuards(BackendKeyGuard)
export class PartnerEventsController {
  constructor(private readonly reader: EventReader) {}

  @Get()
  @Unaudited('ids and states, no personal data')
  @ApiOperation({
    summary: 'The events of the last 30 days, in their order',
    description:
      'For the backend of a partner, with its key as `Authorization: Bearer`: the same events, ids and order as the deliveries to its address. Keep the id of the last event, and read on `after` it.',
  })
  @Answers({
    payload: PartnerEventsPayload,
    raises: [EventErrors.keyInvalid, EventErrors.cursorUnknown, GeneralErrors.fieldInvalid],
  })
  async list(
    @CallingPartner() partnerId: string,
    @Query() { after, limit }: PartnerEventsQuery,
  ): Promise<PartnerEventsPayload> {
    return this.reader.list(partnerId, after, limit);
  }

  @Get(':event_id')
  @Unaudited('ids and states, no personal data')
  @ApiOperation({ summary: 'An event, and how its delivery went' })
  @Answers({ payload: PartnerEventPayload, raises: [EventErrors.keyInvalid, GeneralErrors.recordUnknown] })
  async show(
    @CallingPartner() partnerId: string,
    @Param('event_id') id: string,
  ): Promise<PartnerEventPayload> {
    return this.reader.show(partnerId, id);
  }

  @Post(':event_id/replay')
  @HttpCode(200)
  @Unaudited('changes no data of a person; a repeat changes nothing until the event is delivered')
  @ApiOperation({ summary: 'Deliver an event once more, with the same id' })
  @Answers({
    acceptsEmptyBody: true,
    message: 'Replayed',
    payload: ReplayedEventPayload,
    raises: [EventErrors.keyInvalid, GeneralErrors.recordUnknown],
  })
  async replay(
    @CallingPartner() partnerId: string,
    @Param('event_id') id: string,
  ): Promise<ReplayedEventPayload> {
    return this.reader.replay(partnerId, id);
  }
}
