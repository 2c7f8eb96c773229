import { Body, Controller, Ip, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ConfirmAccountRequest,
  ConfirmedAccountPayload,
  LoginPayload,
  StartAnewRequest,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { GeneralErrors, PanErrors, SessionErrors } from '@fd/errors';
import {
  Audited,
  BeforeConfirmation,
  CurrentSession,
  Idempotent,
  type SessionIdentity,
} from '../../core/index.js';
import { ReturningUsers } from '../../identity/index.js';
import { ConfirmationService } from './confirmation.service.js';

@ApiTags('Session')
@BeforeConfirmation()
@Controller('api/v1/account-confirmation')
export class ConfirmationController {
  constructor(
    private readonly confirmation: ConfirmationService,
    private readonly returning: ReturningUsers,
  ) {}

  @Post()
  @Idempotent({ isOfSession: true })
  @Audited('ACCOUNT_CONFIRMED')
  @ApiOperation({
    summary: 'Confirm that the account of this phone is yours',
    description:
      'After a login with `needs_confirmation`, all other calls are refused until the PAN and the date of birth of the account are given here, three tries a day.',
  })
  @Answers({
    message: 'Account confirmed',
    payload: ConfirmedAccountPayload,
    raises: [
      PanErrors.missing,
      PanErrors.wrongLength,
      PanErrors.malformed,
      PanErrors.birthDateMissing,
      PanErrors.birthDateInvalid,
      PanErrors.birthDateInFuture,
      SessionErrors.confirmationWrong,
      SessionErrors.confirmationsExhausted,
      SessionErrors.nothingToConfirm,
      SessionErrors.unshared,
      GeneralErrors.fieldInvalid,
    ],
  })
  async confirm(
    @CurrentSession() session: SessionIdentity,
    @Body() request: ConfirmAccountRequest,
    @Ip() ip: string,
  ): Promise<ConfirmedAccountPayload> {
    await this.confirmation.confirm({ ...session, ip }, request);
    return { is_confirmed: true };
  }

  @Post('start-anew')
  @Idempotent({ isOfSession: true, isKeptBriefly: true })
  @Audited('ACCOUNT_STARTED_ANEW')
  @ApiOperation({
    summary: 'Begin a new account with a long unused phone',
    description:
      'For the next owner of a phone number: returns a session of a new user, as a first login does. The former account keeps its data without the phone; nobody can log into it by this number any more.',
  })
  @Answers({
    message: 'Started anew',
    payload: LoginPayload,
    raises: [GeneralErrors.fieldInvalid, SessionErrors.confirmed],
  })
  async startAnew(
    @CurrentSession() session: SessionIdentity,
    @Body() _request: StartAnewRequest,
    @Ip() ip: string,
  ): Promise<LoginPayload> {
    if (!session.isUnconfirmed) throw SessionErrors.confirmed();
    return this.returning.startAnew(session, ip);
  }
}
