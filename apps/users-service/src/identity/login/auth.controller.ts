import { Body, Controller, Headers, Ip, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { LoginPayload, RegisterPayload, RegisterRequest, VerifyOtpRequest } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { Public } from '@fd/platform';
import { Audited, KeptBriefly, Unaudited } from '../../core/index.js';
import { SendCodeService } from './send-code.service.js';
import { VerifyCodeService } from './verify-code.service.js';

@ApiTags('Login')
@Public()
@Controller('auth')
export class AuthController {
  constructor(
    private readonly sending: SendCodeService,
    private readonly verification: VerifyCodeService,
  ) {}

  @Post('register')
  @Unaudited('nobody is known yet: no record of a person is read or changed')
  @ApiOperation({ summary: 'Send a one-time code to a phone' })
  @Answers({
    status: 201,
    bodyStatus: 200,
    message: 'OTP sent successfully',
    badRequestMessage: 'Bad request',
    payload: RegisterPayload,
    raises: ['SVCUSER1208', 'SVCUSER1003', 'SVCUSER2001', 'SVCUSER2002', 'SVCUSER2003', 'SVCUSER2013'],
  })
  async register(@Body() request: RegisterRequest, @Ip() ip: string): Promise<RegisterPayload> {
    return this.sending.sendCode(request.phone, ip);
  }

  @Post('api/v2/register/verify')
  @KeptBriefly()
  @Audited('LOGGED_IN')
  @ApiOperation({ summary: 'Verify the code and log in' })
  @Answers({
    message: 'Login successful',
    payload: LoginPayload,
    raises: [
      'SVCUSER1208',
      'SVCUSER1003',
      'SVCUSER2015',
      'SVCUSER1010',
      'SVCUSER2014',
      'SVCUSER2017',
      'SVCUSER1085',
      'SVCUSER2016',
      'SVCUSER2013',
      'SVCUSER2010',
      'SVCUSER2011',
    ],
  })
  async verify(
    @Body() request: VerifyOtpRequest,
    @Ip() ip: string,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<LoginPayload> {
    return this.verification.logIn(request, { ip, userAgent });
  }
}
