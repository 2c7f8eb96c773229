import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  isGiven,
  PersonalDetailsOptionsPayload,
  PersonalDetailsPayload,
  PersonalDetailsQuery,
  PersonalDetailsRequest,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { IssuerErrors, JourneyErrors, PersonalDetailsErrors } from '@fd/errors';
import { Audited, CurrentSession, type SessionIdentity, Unaudited } from '../../core/index.js';
import type { Issuer } from '../../config/index.js';
import { CurrentIssuer, ForStep } from '../../journey/index.js';
import { presentDetails, presentOptions } from './personal-details.presenter.js';
import { PersonalDetailsService } from './personal-details.service.js';

@ApiTags('Personal details')
@Controller('api/v1/personal-details')
export class PersonalDetailsController {
  constructor(
    private readonly details: PersonalDetailsService,
    private readonly currentIssuer: CurrentIssuer,
  ) {}

  @Get()
  @Audited('PERSONAL_DETAILS_READ')
  @ApiOperation({ summary: 'What is known of the person, and what an issuer still asks for' })
  @Answers({ payload: PersonalDetailsPayload, raises: [IssuerErrors.unknown] })
  async show(
    @CurrentSession() { userId }: SessionIdentity,
    @Query() query: PersonalDetailsQuery,
  ): Promise<PersonalDetailsPayload> {
    return presentDetails(await this.details.show(userId, await this.issuerOf(userId, query)));
  }

  @Post()
  @ForStep('PERSONAL_DETAILS')
  @Audited('PERSONAL_DETAILS_SAVED')
  @ApiOperation({ summary: 'Save what an issuer asks for; what was saved before need not be sent again' })
  @Answers({
    message: 'Personal details saved',
    payload: PersonalDetailsPayload,
    raises: [
      JourneyErrors.stepLocked,
      IssuerErrors.unknown,
      PersonalDetailsErrors.missing,
      PersonalDetailsErrors.invalid,
      PersonalDetailsErrors.pincodeInvalid,
      PersonalDetailsErrors.declarationMissing,
    ],
  })
  async save(
    @CurrentSession() { userId }: SessionIdentity,
    @Query() query: PersonalDetailsQuery,
    @Body() request: PersonalDetailsRequest,
  ): Promise<PersonalDetailsPayload> {
    return presentDetails(await this.details.save(userId, await this.issuerOf(userId, query), request));
  }

  @Get('options')
  @Unaudited('what can be chosen, the same for everybody')
  @ApiOperation({ summary: 'What can be chosen, and the declarations with their texts' })
  @Answers({ payload: PersonalDetailsOptionsPayload, raises: [IssuerErrors.unknown] })
  async options(
    @CurrentSession() { userId }: SessionIdentity,
    @Query() query: PersonalDetailsQuery,
  ): Promise<PersonalDetailsOptionsPayload> {
    return presentOptions(await this.issuerOf(userId, query));
  }

  private async issuerOf(
    userId: string,
    { issuer_code: code }: PersonalDetailsQuery,
  ): Promise<Issuer | undefined> {
    // given twice it is a list, and names no issuer
    return this.currentIssuer.ofCode(userId, isGiven(code) ? String(code) : undefined);
  }
}
