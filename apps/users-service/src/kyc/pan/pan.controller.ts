import { Body, Controller, Ip, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  isGiven,
  maskPan,
  PanVerificationPayload,
  PanVerificationQuery,
  PanVerificationRequest,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { ConsentErrors, IssuerErrors, JourneyErrors, PanErrors } from '@fd/errors';
import { Audited, CurrentSession, type SessionIdentity } from '../../core/index.js';
import { CurrentIssuer, ForStep } from '../../journey/index.js';
import { PanService } from './pan.service.js';
import type { VerifiedIdentity } from './sealed-identity.js';

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
      JourneyErrors.stepLocked,
      PanErrors.missing,
      PanErrors.wrongLength,
      PanErrors.malformed,
      PanErrors.birthDateMissing,
      PanErrors.birthDateInvalid,
      IssuerErrors.unknown,
      PanErrors.birthDateInFuture,
      ConsentErrors.missing,
      ConsentErrors.refused,
      ConsentErrors.notBoolean,
      PanErrors.anotherPanVerified,
      PanErrors.tooManyLookups,
      PanErrors.registryUnavailable,
      PanErrors.notFound,
      PanErrors.notValid,
      PanErrors.birthDateDiffers,
      PanErrors.belongsToAnotherUser,
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
    return present(await this.pan.verify({ ...session, ip }, claim));
  }
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
    // an identity is kept only when the registry has confirmed the date
    dob_match: true,
    aadhaar_seeding_status: identity.aadhaarSeedingStatus,
    verified_at: identity.verifiedAt.toISOString(),
  };
}
