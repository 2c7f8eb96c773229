import { Body, Controller, Get, Ip, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AadhaarSendOtpPayload,
  AadhaarSendOtpRequest,
  AadhaarVerifyOtpRequest,
  CheckStatusRequest,
  EkycStatusPayload,
  LockerSessionPayload,
  LockerSessionRequest,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import {
  AadhaarErrors,
  ConsentErrors,
  EkycErrors,
  GeneralErrors,
  IssuerErrors,
  JourneyErrors,
  LockerErrors,
  OtpErrors,
  PanErrors,
} from '@fd/errors';
import type { Response } from 'express';
import {
  Audited,
  CurrentSession,
  POLL_AFTER_SECONDS,
  type SessionIdentity,
  Idempotent,
} from '../../core/index.js';
import { ForStep } from '../../journey/index.js';
import { AadhaarStepper } from './aadhaar-stepper.service.js';
import { DocumentLockerService, type LockerSessionView } from './document-locker.service.js';
import { EkycRequests } from './ekyc-requests.service.js';

const CONSENT = [
  ConsentErrors.missing,
  ConsentErrors.notBoolean,
  ConsentErrors.refused,
  ConsentErrors.withdrawn,
];

/** Answer while the locker takes longer than a request waits. */
const LOCKER_PENDING = {
  status: 202,
  message: 'The document locker is being asked',
  payload: LockerSessionPayload,
} as const;

@ApiTags('eKYC')
@Controller('issuer-apis/:issuer_slug')
export class EkycController {
  constructor(
    private readonly requests: EkycRequests,
    private readonly stepper: AadhaarStepper,
    private readonly locker: DocumentLockerService,
  ) {}

  @Post('v3/check-status')
  @Idempotent({ isOfSession: true })
  @ForStep('EKYC')
  @Audited('EKYC_STATUS_READ')
  @ApiOperation({
    summary: 'eKYC status, with a link until it is verified',
    description:
      'Opens the eKYC at the first call. Send the user to `ekyc_url`, then poll this call until `ekyc_status` is final. If the provider is slower than the call, the answer has the last known status, and the service continues to poll the provider.',
  })
  @Answers({
    payload: EkycStatusPayload,
    acceptsEmptyBody: true,
    raises: [
      IssuerErrors.unknown,
      PanErrors.belongsToAnotherUser,
      GeneralErrors.fieldInvalid,
      EkycErrors.redirectionUrlInvalid,
      IssuerErrors.flowUnsupported,
      ConsentErrors.withdrawn,
      EkycErrors.unavailable,
      JourneyErrors.stepLocked,
    ],
  })
  async checkStatus(
    @CurrentSession() session: SessionIdentity,
    @Param('issuer_slug') slug: string,
    @Body() request: CheckStatusRequest,
  ): Promise<EkycStatusPayload> {
    return this.requests.check(session, slug, request);
  }

  @Post('v1/aadhaar-ekyc/send-otp')
  @Idempotent()
  @ForStep('EKYC')
  @Audited('AADHAAR_CODE_SENT', { isSending: true })
  @ApiOperation({
    summary: 'Aadhaar stepper: send a code to the phone that is linked to the Aadhaar',
    description: 'The first of two calls of an eKYC within your own pages, where the issuer offers it.',
  })
  @Answers({
    payload: AadhaarSendOtpPayload,
    message: 'OTP sent successfully',
    raises: [
      AadhaarErrors.numberInvalid,
      AadhaarErrors.switchedOff,
      ...CONSENT,
      IssuerErrors.unknown,
      PanErrors.belongsToAnotherUser,
      JourneyErrors.stepNotOffered,
      EkycErrors.unavailable,
      EkycErrors.alreadyVerified,
      AadhaarErrors.noMobileLinked,
      AadhaarErrors.otpTooSoon,
      JourneyErrors.stepLocked,
    ],
  })
  async sendAadhaarOtp(
    @CurrentSession() session: SessionIdentity,
    @Ip() ip: string,
    @Param('issuer_slug') slug: string,
    @Body() request: AadhaarSendOtpRequest,
  ): Promise<AadhaarSendOtpPayload> {
    return this.stepper.send({ ...session, ip }, slug, request.aadhaar_number);
  }

  @Post('v1/aadhaar-ekyc/verify-otp')
  @Idempotent()
  @ForStep('EKYC')
  @Audited('AADHAAR_CODE_CHECKED')
  @ApiOperation({
    summary: 'Aadhaar stepper: verify the code and complete the eKYC',
    description: 'The second of two calls. Takes the `ekyc_request_id` of the first.',
  })
  @Answers({
    payload: EkycStatusPayload,
    message: 'eKYC verified',
    raises: [
      OtpErrors.missing,
      OtpErrors.wrongLength,
      OtpErrors.notNumeric,
      AadhaarErrors.switchedOff,
      IssuerErrors.unknown,
      PanErrors.belongsToAnotherUser,
      JourneyErrors.stepNotOffered,
      GeneralErrors.recordUnknown,
      ConsentErrors.withdrawn,
      EkycErrors.unavailable,
      AadhaarErrors.otpWrong,
      AadhaarErrors.otpExpired,
      AadhaarErrors.holderDiffers,
      JourneyErrors.stepLocked,
    ],
  })
  async verifyAadhaarOtp(
    @CurrentSession() session: SessionIdentity,
    @Param('issuer_slug') slug: string,
    @Body() request: AadhaarVerifyOtpRequest,
  ): Promise<EkycStatusPayload> {
    return this.stepper.verify(session, slug, request.ekyc_request_id, request.otp);
  }

  @Post('v1/document-locker/session')
  @Idempotent({ isOfSession: true })
  @ForStep('EKYC')
  @Audited('LOCKER_SESSION_OPENED')
  @ApiOperation({
    summary: 'Document locker: open a session in which the user shares their Aadhaar',
    description:
      'Returns the address of the locker’s page, which returns the user to `redirection_url`. HTTP 202 as for the call that reads a session.',
  })
  @Answers({
    payload: LockerSessionPayload,
    alternatives: [LOCKER_PENDING],
    raises: [
      ...CONSENT,
      IssuerErrors.unknown,
      PanErrors.belongsToAnotherUser,
      JourneyErrors.stepNotOffered,
      EkycErrors.redirectionUrlInvalid,
      EkycErrors.unavailable,
      EkycErrors.alreadyVerified,
      GeneralErrors.tooManyRequests,
      LockerErrors.sessionExpired,
      JourneyErrors.stepLocked,
    ],
  })
  async openLocker(
    @CurrentSession() session: SessionIdentity,
    @Ip() ip: string,
    @Param('issuer_slug') slug: string,
    @Body() request: LockerSessionRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<LockerSessionPayload> {
    return answer(await this.locker.open({ ...session, ip }, slug, request.redirection_url), response);
  }

  @Get('v1/document-locker/session/:session_id')
  @Audited('LOCKER_SESSION_READ')
  @ApiOperation({
    summary: 'Document locker: result of a session; success completes the eKYC',
    description:
      'Poll it after the user has returned. HTTP 202 if the locker has not answered within 1.5 seconds, or has failed a few seconds ago: the service continues to read it, poll again after `Retry-After` seconds. A refusal gives the reason.',
  })
  @Answers({
    payload: LockerSessionPayload,
    alternatives: [LOCKER_PENDING],
    raises: [
      IssuerErrors.unknown,
      PanErrors.belongsToAnotherUser,
      JourneyErrors.stepNotOffered,
      GeneralErrors.recordUnknown,
      ConsentErrors.withdrawn,
      EkycErrors.unavailable,
      LockerErrors.consentDenied,
      LockerErrors.noAadhaar,
      LockerErrors.sessionExpired,
      LockerErrors.holderDiffers,
    ],
  })
  async showLocker(
    @CurrentSession() session: SessionIdentity,
    @Param('issuer_slug') slug: string,
    @Param('session_id') sessionId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<LockerSessionPayload> {
    return answer(await this.locker.show(session, slug, sessionId), response);
  }
}

function answer({ payload, isPending }: LockerSessionView, response: Response): LockerSessionPayload {
  if (isPending) response.status(LOCKER_PENDING.status).setHeader('retry-after', POLL_AFTER_SECONDS);
  return payload;
}
