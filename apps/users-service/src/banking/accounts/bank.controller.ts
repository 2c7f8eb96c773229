import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  BankSyncQuery,
  BankSyncRequest,
  BankVerificationPayload,
  BankVerificationQuery,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { BankErrors, type ErrorDefinition, GeneralErrors, IssuerErrors, JourneyErrors } from '@fd/errors';
import type { Response } from 'express';
import { Audited, CurrentSession, type SessionIdentity } from '../../core/index.js';
import { ForStep } from '../../journey/index.js';
import type { BankStanding } from './bank-account.js';
import { BankCallLimit } from './bank-call-limit.js';
import { issuerCodeIn, readOrder } from './bank-order.js';
import { isPending } from './bank-outcome.js';
import { BankStandings } from './bank-standing.service.js';
import { BankSyncService } from './bank-sync.service.js';
import { presentStanding } from './bank.presenter.js';

const OUTCOMES: readonly ErrorDefinition[] = [
  BankErrors.holderDiffers,
  BankErrors.beneficiaryInvalid,
  IssuerErrors.unavailable,
  BankErrors.accountBlocked,
  BankErrors.unavailable,
  BankErrors.pending,
  IssuerErrors.unknown,
  GeneralErrors.fieldInvalid,
];

const ANSWER = {
  payload: BankVerificationPayload,
  alternatives: [{ status: BankErrors.pending.httpStatus, message: BankErrors.pending.message }],
} as const;

@ApiTags('Bank')
@Controller('api/v1/bank')
export class BankController {
  constructor(
    private readonly limit: BankCallLimit,
    private readonly bank: BankSyncService,
    private readonly standings: BankStandings,
  ) {}

  @Post('sync-to-issuer')
  @ForStep('BANK')
  @Audited('BANK_ACCOUNT_GIVEN')
  @ApiOperation({
    summary: 'Verify a bank account and register it at the issuer',
    description:
      'At most 30 well-formed calls a minute, and 60 new accounts in 24 hours. HTTP 202 with `pending_code`: it goes on by itself, poll the verification.',
  })
  @Answers({
    // nothing at all lacks the account first of all
    acceptsEmptyBody: true,
    ...ANSWER,
    message: 'Bank account verified',
    raises: [
      BankErrors.fieldMissing,
      BankErrors.accountInvalid,
      BankErrors.ifscInvalid,
      BankErrors.fullNameInvalid,
      BankErrors.firstNameInvalid,
      JourneyErrors.stepLocked,
      GeneralErrors.tooManyRequests,
      ...OUTCOMES,
    ],
  })
  async sync(
    @CurrentSession() { userId }: SessionIdentity,
    @Body() body: BankSyncRequest,
    @Query() query: BankSyncQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BankVerificationPayload> {
    const order = readOrder(body, query);
    await this.limit.take(userId);
    return answer(await this.bank.sync(userId, order), response);
  }

  @Get('verification/:verification_id')
  @Audited('BANK_ACCOUNT_READ')
  @ApiOperation({ summary: 'Where a bank verification stands; refuses as the call that began it would' })
  @Answers({ ...ANSWER, raises: [GeneralErrors.recordUnknown, ...OUTCOMES] })
  async verification(
    @CurrentSession() { userId }: SessionIdentity,
    @Param('verification_id') id: string,
    @Query() query: BankVerificationQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BankVerificationPayload> {
    return answer(await this.standings.of(userId, id, issuerCodeIn(query.issuer_code)), response);
  }
}

function answer(standing: BankStanding, response: Response): BankVerificationPayload {
  if (isPending(standing.account, standing.sync)) response.status(BankErrors.pending.httpStatus);
  return presentStanding(standing);
}
