import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  BankSyncQuery,
  BankSyncRequest,
  BankVerificationPayload,
  BankVerificationQuery,
  holderName,
  maskAccountNumber,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import {
  BankErrors,
  ConsentErrors,
  type ErrorDefinition,
  GeneralErrors,
  IssuerErrors,
  JourneyErrors,
} from '@fd/errors';
import type { Response } from 'express';
import {
  Audited,
  CurrentSession,
  POLL_AFTER_SECONDS,
  ProviderCallLimit,
  type SessionIdentity,
  Idempotent,
} from '../core/index.js';
import { CurrentIssuer, ForStep } from '../journey/index.js';
import { isInProgress, isUncompared } from './accounts/bank.states.js';
import { BankSyncService, type VerificationStatus } from './bank-sync.service.js';

const PENDING = BankErrors.pending;

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
  alternatives: [{ status: PENDING.httpStatus, message: PENDING.message }],
} as const;

@ApiTags('Bank')
@Controller('api/v1/bank')
export class BankController {
  constructor(
    private readonly limit: ProviderCallLimit,
    private readonly bank: BankSyncService,
    private readonly currentIssuer: CurrentIssuer,
  ) {}

  @Post('sync-to-issuer')
  @Idempotent()
  @ForStep('BANK')
  @Audited('BANK_ACCOUNT_GIVEN')
  @ApiOperation({
    summary: 'Verify a bank account and register it at the issuer',
    description:
      'Limits for a user: 30 well-formed calls a minute, 60 new accounts in 24 hours, and 5 names in 24 hours that the bank does not confirm; the limit for names also applies to each account number. HTTP 202 with `pending_code`: the work continues, poll the verification. Without a verified PAN the account is verified, and registered once the PAN is verified and its name matches. With `ask_for_review` names that differ go to an operator instead of being refused: HTTP 202 with `is_bank_verified` false until the decision.',
  })
  @Answers({
    // an empty body reports the missing account first
    acceptsEmptyBody: true,
    ...ANSWER,
    message: 'Bank account verified',
    raises: [
      BankErrors.fieldMissing,
      BankErrors.accountInvalid,
      BankErrors.ifscInvalid,
      BankErrors.fullNameInvalid,
      BankErrors.firstNameInvalid,
      ConsentErrors.withdrawn,
      JourneyErrors.stepLocked,
      GeneralErrors.tooManyRequests,
      ...OUTCOMES,
    ],
  })
  async sync(
    @CurrentSession() session: SessionIdentity,
    @Body() body: BankSyncRequest,
    @Query() query: BankSyncQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BankVerificationPayload> {
    const { account, ifsc, ask_for_review } = body;
    const isReviewAsked = ask_for_review === true;
    const given = { account, ifsc, isReviewAsked, holderName: holderName(body, query) };
    const issuer = await this.currentIssuer.ofCode(session.userId, body.issuer_code ?? query.issuer_code);
    // a call that names no issuer of ours does not count
    await this.limit.take('bank', session.userId);
    return answer(await this.bank.sync(session, given, issuer), response);
  }

  @Get('verification/:verification_id')
  @Audited('BANK_ACCOUNT_READ')
  @ApiOperation({
    summary: 'Status of a bank verification; returns the same refusal as the call that started it',
    description: 'Poll it after HTTP 202, at the pace of `Retry-After`.',
  })
  @Answers({ ...ANSWER, raises: [GeneralErrors.recordUnknown, ConsentErrors.withdrawn, ...OUTCOMES] })
  async verification(
    @CurrentSession() { userId }: SessionIdentity,
    @Param('verification_id') id: string,
    @Query() { issuer_code: code }: BankVerificationQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BankVerificationPayload> {
    const issuer = code === undefined ? undefined : await this.currentIssuer.ofCode(userId, code, false);
    return answer(await this.bank.read(userId, id, issuer), response);
  }
}

function answer(
  { account, match, issuer, registration }: VerificationStatus,
  response: Response,
): BankVerificationPayload {
  const isPending = isInProgress(account, registration);
  // after a change of the PAN the step is open until the names are compared again, or accepted by an operator
  const isSynced = account.state === 'VERIFIED' && registration?.state === 'SYNCED' && !isUncompared(account);
  if (isPending) response.status(PENDING.httpStatus).setHeader('retry-after', POLL_AFTER_SECONDS);
  return {
    is_bank_verified: account.state === 'VERIFIED',
    verification_id: account.id,
    account: maskAccountNumber(account.account),
    ifsc: account.ifsc,
    bank_name: account.bankName,
    name_match: match && { score: match.score, band: match.band, reasons: match.reasons },
    is_synced: isSynced,
    issuer_code: issuer?.code ?? null,
    issuer_reference: (isSynced && registration.reference) || null,
    ...(isPending ? { pending_code: PENDING.code } : {}),
  };
}
