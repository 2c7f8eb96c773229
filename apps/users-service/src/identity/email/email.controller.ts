import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  EmailOtpPayload,
  maskEmail,
  SendEmailOtpRequest,
  tidyEmail,
  VerifiedEmailPayload,
  VerifyEmailOtpRequest,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { ConsentErrors, EmailErrors, JourneyErrors, OtpErrors } from '@fd/errors';
import { Audited, CurrentSession, type SessionIdentity, Idempotent } from '../../core/index.js';
import { ForStep } from '../../journey/index.js';
import { ConsentsRepository } from '../consents/consents.repository.js';
import { OTP_POLICY } from '../otp/otp.policy.js';
import type { CodeValidity } from '../otp/otp.service.js';
import { EmailVerification } from './email-verification.service.js';

@ApiTags('Email')
@Controller('api/v1/email')
export class EmailController {
  constructor(
    private readonly verification: EmailVerification,
    private readonly consents: ConsentsRepository,
  ) {}

  @Post('send-otp')
  @Idempotent()
  @ForStep('EMAIL')
  @Audited('EMAIL_CODE_SENT', { isSending: true })
  @ApiOperation({
    summary: 'Send a one-time code to an email address',
    description: 'Sends a code of six digits. The answer has the remaining sends (`attemptsLeft`).',
  })
  @Answers({
    message: 'OTP sent successfully',
    payload: EmailOtpPayload,
    raises: [
      JourneyErrors.stepLocked,
      EmailErrors.invalid,
      EmailErrors.tooManyOtps,
      EmailErrors.mailUnavailable,
      ConsentErrors.withdrawn,
    ],
  })
  async sendCode(
    @CurrentSession() session: SessionIdentity,
    @Body() request: SendEmailOtpRequest,
  ): Promise<EmailOtpPayload> {
    const email = tidyEmail(request.email);
    await this.consents.requireTermsInForce(session);
    const issued = await this.verification.sendCode(session.userId, email);
    const { attemptsUsed, attemptsLeft } = issued;
    return { ...presentValidity(email, issued), attemptsUsed, attemptsLeft };
  }

  @Post('verify-otp')
  @Idempotent()
  @ForStep('EMAIL')
  @Audited('EMAIL_VERIFIED')
  @ApiOperation({
    summary: 'Verify an email address with its code',
    description:
      'Completes the step EMAIL; the address replaces the previous one, and moves from a former account of the same person, whose step EMAIL is then open again. After five wrong tries a new code is needed.',
  })
  @Answers({
    message: 'Email verified',
    payload: VerifiedEmailPayload,
    raises: [
      JourneyErrors.stepLocked,
      EmailErrors.invalid,
      OtpErrors.missing,
      OtpErrors.wrongLength,
      OtpErrors.notNumeric,
      EmailErrors.tooManyOtps,
      EmailErrors.otpWrong,
      EmailErrors.otpExpired,
      EmailErrors.belongsToAnotherUser,
      ConsentErrors.withdrawn,
    ],
  })
  async verify(
    @CurrentSession() session: SessionIdentity,
    @Body() request: VerifyEmailOtpRequest,
  ): Promise<VerifiedEmailPayload> {
    const email = tidyEmail(request.email);
    await this.consents.requireTermsInForce(session);
    const validity = await this.verification.verify(session.userId, email, request.otp);
    // a success resets the counts
    const counts = { attemptsUsed: 0, attemptsLeft: OTP_POLICY.maxSends };
    return { ...presentValidity(email, validity), ...counts, is_email_verified: true };
  }
}

function presentValidity(email: string, { validFrom, expiresAt }: CodeValidity) {
  return { email: maskEmail(email), startTime: validFrom.toISOString(), endTime: expiresAt.toISOString() };
}
