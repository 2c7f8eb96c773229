import { Body, Controller, Get, Ip, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  maskPan,
  PanPendingPayload,
  PanVerificationPayload,
  PanVerificationQuery,
  PanVerificationRequest,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import {
  ConsentErrors,
  type ErrorDefinition,
  GeneralErrors,
  IssuerErrors,
  JourneyErrors,
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
import { CurrentIssuer, ForStep } from '../../journey/index.js';
import { CHECK_REFUSALS, EARLY_REFUSALS, PanService, type PanVerification } from './pan.service.js';
import type { VerifiedIdentity } from './identities.repository.js';

const { pending } = PanErrors;

const OUTCOMES: readonly ErrorDefinition[] = [...CHECK_REFUSALS, pending];

const ANSWER = {
  payload: PanVerificationPayload,
  message: 'PAN verified',
  alternatives: [{ status: pending.httpStatus, message: pending.message, payload: PanPendingPayload }],
} as const;

@ApiTags('PAN')
@Controller('api/v1/pan-verification')
export class PanController {
  constructor(
    private readonly pan: PanService,
    private readonly currentIssuer: CurrentIssuer,
  ) {}

  @Post()
  @Idempotent()
  @ForStep('PAN')
  @Audited('PAN_VERIFIED', { pending: 'PAN_CHECK_AWAITED' })
  @ApiOperation({
    summary: 'Verify a PAN and the date of birth of its holder',
    description:
      'HTTP 202 with `pending_code` if the registry has not answered within 1.5 seconds: the check continues, poll the verification after `Retry-After` seconds. A repeat with the same PAN and date of birth joins that check; another PAN or date starts a separate check, and the first verified one counts.',
  })
  @Answers({
    ...ANSWER,
    raises: [
      JourneyErrors.stepLocked,
      PanErrors.missing,
      PanErrors.wrongLength,
      PanErrors.malformed,
      PanErrors.birthDateMissing,
      PanErrors.birthDateInvalid,
      PanErrors.birthDateInFuture,
      ConsentErrors.missing,
      ConsentErrors.notBoolean,
      ConsentErrors.refused,
      IssuerErrors.unknown,
      ...EARLY_REFUSALS,
      ...OUTCOMES,
    ],
  })
  async verify(
    @CurrentSession() session: SessionIdentity,
    @Ip() ip: string,
    @Query() { issuer_code }: PanVerificationQuery,
    @Body() { number, dob }: PanVerificationRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PanVerificationPayload | PanPendingPayload> {
    if (issuer_code !== undefined) await this.currentIssuer.ofCode(session.userId, issuer_code);
    const claim = { pan: number, dateOfBirth: dob };
    return answer(await this.pan.verify({ ...session, ip }, claim), response);
  }

  @Get(':verification_id')
  @Audited('PAN_CHECK_READ')
  @ApiOperation({
    summary: 'Status of a PAN verification; returns the same refusal as the call that started it',
    description:
      'A refusal is available for seven days, a verified PAN for as long as it belongs to the user.',
  })
  @Answers({ ...ANSWER, raises: [GeneralErrors.recordUnknown, PanErrors.anotherPanVerified, ...OUTCOMES] })
  async verification(
    @CurrentSession() { userId }: SessionIdentity,
    @Param('verification_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PanVerificationPayload | PanPendingPayload> {
    return answer(await this.pan.read(userId, id), response);
  }
}

function answer(
  verification: PanVerification,
  response: Response,
): PanVerificationPayload | PanPendingPayload {
  if (verification.identity) return present(verification.identity);
  response.status(pending.httpStatus).setHeader('retry-after', POLL_AFTER_SECONDS);
  return { is_pan_verified: false, verification_id: verification.pendingId, pending_code: pending.code };
}

function present(identity: VerifiedIdentity): PanVerificationPayload {
  return {
    is_pan_verified: true,
    verification_id: identity.verificationId,
    pan: maskPan(identity.pan),
    pan_status: identity.panStatus,
    full_name: identity.fullName,
    first_name: identity.firstName,
    middle_name: identity.middleName,
    last_name: identity.lastName,
    father_name: identity.fatherName,
    dob_match: identity.isBirthDateCompared,
    aadhaar_seeding_status: identity.aadhaarSeedingStatus,
    verified_at: identity.verifiedAt.toISOString(),
  };
}
