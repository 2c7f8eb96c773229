import { Body, Controller, Headers, Ip, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { LoginPayload, RegisterPayload, RegisterRequest, VerifyOtpRequest } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { LoginErrors, OtpErrors } from '@fd/errors';
import { Public } from '@fd/platform';
import { Audited, Unaudited, Idempotent } from '../../core/index.js';
import { LoginService } from './login.service.js';

@ApiTags('Login')
@Public()
@Controller('auth')
export class AuthController {
  constructor(private readonly login: LoginService) {}

  @Post('register')
  @Idempotent()
  @Unaudited('the caller is not identified yet: no personal record is read or changed')
  @ApiOperation({
    summary: 'Send a one-time code to a phone',
    description:
      'The first call of every journey. Sends a code of six digits by SMS; a repeat sends the same code while it is valid. At most five sends in 15 minutes.',
  })
  @Answers({
    status: 201,
    bodyStatus: 200,
    message: 'OTP sent successfully',
    badRequestMessage: 'Bad request',
    hasBareRefusals: true,
    payload: RegisterPayload,
    raises: [
      LoginErrors.phoneInvalid,
      LoginErrors.phoneMalformed,
      LoginErrors.tooManySends,
      LoginErrors.sendsSuspended,
      LoginErrors.smsUnavailable,
      LoginErrors.tooManyTries,
    ],
  })
  async register(@Body() request: RegisterRequest, @Ip() ip: string): Promise<RegisterPayload> {
    return this.login.sendCode(request.phone, ip);
  }

  @Post('api/v2/register/verify')
  @Idempotent({ isKeptBriefly: true })
  @Audited('LOGGED_IN')
  @ApiOperation({
    summary: 'Verify the code and log in',
    description:
      'Returns an access token (15 minutes), a refresh token (7 days) and a token for the partner’s own backend. A new phone becomes a new user.',
  })
  @Answers({
    message: 'Login successful',
    hasBareRefusals: true,
    payload: LoginPayload,
    raises: [
      LoginErrors.phoneInvalid,
      LoginErrors.phoneMalformed,
      OtpErrors.missing,
      OtpErrors.wrongLength,
      OtpErrors.notNumeric,
      LoginErrors.partnerUrlInvalid,
      LoginErrors.partnerUnknown,
      LoginErrors.consentRequired,
      LoginErrors.tooManyTries,
      LoginErrors.otpWrong,
      LoginErrors.otpExpired,
      LoginErrors.userBlocked,
    ],
  })
  async verify(
    @Body() request: VerifyOtpRequest,
    @Ip() ip: string,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<LoginPayload> {
    return this.login.logIn(request, { ip, userAgent });
  }
}
