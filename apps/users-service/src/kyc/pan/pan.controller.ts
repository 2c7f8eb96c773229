import { Body, Controller, Ip, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { isGiven, PanVerificationPayload, PanVerificationQuery, PanVerificationRequest } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { Audited, CurrentSession, type SessionIdentity } from '../../core/index.js';
import { CurrentIssuer, ForStep } from '../../journey/index.js';
import { presentVerification } from './pan.presenter.js';
import { PanService } from './pan.service.js';

@ApiTags('PAN')
@Controller('api/v1/pan-verification')
export class PanController {
  constructor(
    private readonly pan: PanService,
    private readonly currentIssuer: CurrentIssuer,
  ) {}

  @Post()
  @ForStep('PAN')
  @Audited('PAN_VERIFIED')
  @ApiOperation({ summary: 'Verify a PAN and the date of birth of its holder' })
  @Answers({
    payload: PanVerificationPayload,
    message: 'PAN verified',
    raises: [
      'SVCUSER2905',
      'SVCUSER2201',
      'SVCUSER2202',
      'SVCUSER2203',
      'SVCUSER2211',
      'SVCUSER2212',
      'SVCUSER2902',
      'SVCUSER2213',
      'SVCUSER2301',
      'SVCUSER2302',
      'SVCUSER2303',
      'SVCUSER2216',
      'SVCUSER2209',
      'SVCUSER2208',
      'SVCUSER2205',
      'SVCUSER2206',
      'SVCUSER2215',
      'SVCUSER1036',
    ],
  })
  async verify(
    @CurrentSession() session: SessionIdentity,
    @Ip() ip: string,
    // given twice it is a list, and names no issuer
    @Query() { issuer_code }: PanVerificationQuery,
    @Body() { number, dob, consent_checked }: PanVerificationRequest,
  ): Promise<PanVerificationPayload> {
    if (isGiven(issuer_code)) await this.currentIssuer.ofCode(session.userId, String(issuer_code));
    const claim = { pan: number, dateOfBirth: dob, consent: consent_checked };
    return presentVerification(await this.pan.verify({ ...session, ip }, claim));
  }
}
