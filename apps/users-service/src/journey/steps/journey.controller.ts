import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { JourneyPayload, JourneyRequest } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { GeneralErrors, IssuerErrors } from '@fd/errors';
import { CurrentSession, type SessionIdentity, Unaudited, WithoutSharing } from '../../core/index.js';
import { CurrentIssuer } from './current-issuer.service.js';
import { journeyOf } from './journey.table.js';
import { JourneyPresenter } from './journey.presenter.js';
import { JourneyRepository } from './journey.repository.js';

@ApiTags('Journey')
@Controller('issuer-apis/:issuer_slug/v1/journey')
export class JourneyController {
  constructor(
    private readonly journey: JourneyRepository,
    private readonly currentIssuer: CurrentIssuer,
    private readonly presenter: JourneyPresenter,
  ) {}

  @Get()
  @WithoutSharing()
  @Unaudited('returns only the status of steps, no personal data')
  @ApiOperation({
    summary: 'Status of each step, and the call and fields that complete it',
    description:
      'The guide of the journey. `next_step` is due; each step names its call (`api`) and the JSON Schema of its body (`expected_params`).',
  })
  @Answers({ payload: JourneyPayload, raises: [GeneralErrors.fieldInvalid, IssuerErrors.unknown] })
  async show(
    @CurrentSession() { userId, isUnshared }: SessionIdentity,
    @Param('issuer_slug') slug: string,
    @Query() request: JourneyRequest,
  ): Promise<JourneyPayload> {
    const issuer = await this.currentIssuer.ofSlug(userId, slug, !isUnshared);
    const journey = journeyOf(issuer, await this.journey.statesOf(userId, slug));
    return this.presenter.present(issuer, journey, { listsEvents: request.all_events ?? false });
  }
}
