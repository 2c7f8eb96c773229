import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { TrackInsightsPayload, TrackInsightsRequest } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { ConsentErrors, GeneralErrors, InsightErrors } from '@fd/errors';
import { CurrentSession, type SessionIdentity, Unaudited, Idempotent } from '../../core/index.js';
import { InsightsService } from './insights.service.js';

@ApiTags('Insights')
@Controller('api/v1/insights-tracking')
export class InsightsController {
  constructor(private readonly insights: InsightsService) {}

  @Post()
  @Idempotent()
  @Unaudited('refuses events with personal data')
  @ApiOperation({
    summary: 'Report one or more events of the client; each counts once',
    description:
      'The service accepts at most 20,000 new events and 2 MB of properties from a user in a day (UTC). Refused batches and properties of repeated events count, too.',
  })
  @Answers({
    message: 'Events received',
    payload: TrackInsightsPayload,
    raises: [
      InsightErrors.personalDataRefused,
      GeneralErrors.fieldInvalid,
      GeneralErrors.tooManyRequests,
      ConsentErrors.withdrawn,
    ],
  })
  async track(
    @CurrentSession() session: SessionIdentity,
    @Body() request: TrackInsightsRequest,
  ): Promise<TrackInsightsPayload> {
    return this.insights.track(session, request);
  }
}
