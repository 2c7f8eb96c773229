import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  BankSyncQuery,
  BankSyncRequest,
  BankVerificationPayload,
  BankVerificationQuery,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { entryOf, type ErrorCode } from '@fd/errors';
import type { Response } from 'express';
import { Audited, CurrentSession, type SessionIdentity } from '../core/index.js';
import { CurrentIssuer, ForStep } from '../journey/index.js';
import type { VerificationStatus } from './accounts/bank-account.js';
import { isPending } from './accounts/bank-refusals.js';
import { BankCallLimit } from './bank-call-limit.js';
import { issuerCodeIn, readOrder } from './bank-order.js';
import { BankSyncService } from './bank-sync.service.js';
import { presentStatus } from './bank.presenter.js';
import { VerificationStatusService } from './verification-status.service.js';

const PENDING = entryOf('SVCUSER2754');

const OUTCOMES: readonly ErrorCode[] = [
  'SVCUSER1055',
  'SVCUSER1454',
  'SVCUSER2403',
  'SVCUSER2752',
  'SVCUSER2753',
  'SVCUSER2754',
  'SVCUSER2902',
  'SVCUSER2904',
];

const ANSWER = {
  payload: BankVerificationPayload,
  alternatives: [{ status: PENDING.httpStatus, message: PENDING.message }],
} as const;

@ApiTags('Bank')
@Controller('api/v1/bank')
export class BankController {
  constructor(
    private readonly limit: BankCallLimit,
    private readonly bank: BankSyncService,
    private readonly currentIssuer: CurrentIssuer,
    private readonly status: VerificationStatusService,
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
    // an empty body reports the missing account first
    acceptsEmptyBody: true,
    ...ANSWER,
    message: 'Bank account verified',
    raises: [
      'SVCUSER1196',
      'SVCUSER1197',
      'SVCUSER1024',
      'SVCUSER1234',
      'SVCUSER1199',
      'SVCUSER2905',
      'SVCUSER1517',
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
    const issuer = await this.currentIssuer.ofCode(userId, order.issuerCode);
    return answer(await this.bank.sync(userId, order, issuer), response);
  }

  @Get('verification/:verification_id')
  @Audited('BANK_ACCOUNT_READ')
  @ApiOperation({ summary: 'Where a bank verification stands; refuses as the call that began it would' })
  @Answers({ ...ANSWER, raises: ['SVCUSER2903', ...OUTCOMES] })
  async verification(
    @CurrentSession() { userId }: SessionIdentity,
    @Param('verification_id') id: string,
    @Query() query: BankVerificationQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BankVerificationPayload> {
    return answer(await this.status.read(userId, id, issuerCodeIn(query.issuer_code)), response);
  }
}

function answer(status: VerificationStatus, response: Response): BankVerificationPayload {
  if (isPending(status.account, status.registration)) response.status(PENDING.httpStatus);
  return presentStatus(status);
}
