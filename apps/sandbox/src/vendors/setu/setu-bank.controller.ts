import type { IncomingHttpHeaders } from 'node:http';
import { Body, Get, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import { Clock } from '@fd/platform';
import type { Response } from 'express';
import { v4 as uuidv4 } from 'uuid';
import { z } from 'zod';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { field } from '../../http/fields.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import { throwIfFault } from '../../http/faults.js';
import { BankChecks, type BankFinding, findingOf } from '../../providers/bank/bank-checks.service.js';
import { VendorWebhooks, type Webhook } from '../vendor-webhooks.service.js';
import { SETU, SETU_TRACE_ID as traceId } from './setu-dialect.js';

const request = z.object({
  accountNumber: field.accountNumber,
  ifsc: field.ifsc,
  narration: z.string().min(1).max(50).optional(),
});

/** The vendor's code and text for each result of a verification. Its OpenAPI document has answers without a code. */
type SetuOutcome = readonly [code: string | undefined, message: string];

/** A verification that never ends, or whose every poll is answered 500. */
type SetuNoOutcome = 'pending' | 'downstream-error';

interface Verification {
  readonly id: string;
  readonly account: string;
  readonly outcome: SetuOutcome | SetuNoOutcome;
  readonly begunAt: Date;
  readonly completeAt: Date;
}

const VALID: SetuOutcome = ['BAV00', 'Account exists and is active.'];
const NO_SUCH_ACCOUNT = 'This account does not exist or is invalid.';
/** To a request with an impossible account. */
const REFUSED = { verification: 'failed', message: 'Either IFSC or bank account is invalid', traceId };
const OFFLINE: SetuOutcome = ['BAV91', 'Beneficiary bank is offline'];
const OUTCOMES: Readonly<Record<Exclude<BankFinding, 'refused_at_start'>, SetuOutcome>> = {
  frozen: ['BAVM3', 'Account is blocked or frozen'],
  closed: ['BAVM5', 'Account is closed'],
  no_account: [undefined, NO_SUCH_ACCOUNT],
  fraud: ['BAV34', 'Suspected fraud'],
  no_result: ['BAV1009', 'Invalid amount'],
  no_name: VALID,
  other_name: VALID,
};

/** The test account in the vendor's documentation; its result depends on the IFSC. */
const TEST_ACCOUNT = '1234567890';
const TEST_IFSCS: Readonly<Record<string, SetuOutcome | SetuNoOutcome>> = {
  ABCD0123456: VALID,
  ABCD0123457: ['BAVM1', 'This transaction is not valid for this account.'],
  ABCD0123458: ['BAVM1', 'The transaction limit for this account may have been reached.'],
  ABCD0123459: 'downstream-error',
  ABCD0123450: 'pending',
  ABCD0123467: ['BAVM1', NO_SUCH_ACCOUNT],
};

/** Setu's asynchronous bank account verification by penny drop. It accepts no reference of its caller. */
@OutsideApi('vendors/setu/api/verify/ban/async', SETU)
export class SetuBankController {
  private readonly verifications = new BoundedMap<string, Verification>();

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
    private readonly checks: BankChecks,
    private readonly webhooks: VendorWebhooks,
  ) {}

  /** Sends a penny for each accepted call. */
  @Post()
  @HttpCode(200)
  async begin(
    @Body() body: unknown,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const { accountNumber: account, ifsc } = readBody(request, body);
    const behaviour = throwIfFault(this.checks.behaviourOf(account));
    if (behaviour === 'no_money') throw new Refusal(403, 'insufficient_balance', 'Wallet is empty');
    if (behaviour === 'error_inside')
      return { error: { code: 'upstream_service_error', detail: 'No answer' } };
    const finding = findingOf(behaviour);
    if (finding === 'refused_at_start') {
      response.status(400);
      return REFUSED;
    }
    // an offline bank gets no penny
    if (!this.checks.isAway(account))
      this.effects.record({ provider: 'setu', kind: 'penny_drop', subject: account });
    const begunAt = this.clock.now();
    const verification: Verification = {
      id: uuidv4(),
      account,
      outcome: this.outcomeOf(account, ifsc, finding),
      begunAt,
      completeAt: this.checks.completeAt(account, begunAt),
    };
    this.verifications.set(verification.id, verification);
    this.announce(verification, headers);
    await this.checks.beforeAnswer(account);
    return { id: verification.id };
  }

  /** Sends the result later, with the caller's two credentials as headers: Setu does not sign the body. */
  private announce({ id, completeAt }: Verification, headers: IncomingHttpHeaders): void {
    const clientId = String(headers['x-client-id']);
    const webhookOf = (verification: string): Webhook => ({
      provider: 'setu',
      body: {
        event: 'BAV_WEBHOOK_NOTIFICATION',
        timeStamp: this.clock.now().toISOString(),
        data: { bav: { id, verification } },
      },
      headersFor: () => ({ 'x-client-id': clientId, 'x-api-key': String(headers['x-client-secret']) }),
    });
    const webhooks = { happened: webhookOf('success'), before: webhookOf('pending') };
    this.webhooks.send(clientId, webhooks, completeAt.getTime() - this.clock.now().getTime());
  }

  @Get(':id')
  find(@Param('id') id: string): object {
    const found = this.verifications.get(id);
    if (!found) throw new Refusal(404, 'not_found', 'There is no such verification');
    const { account, outcome, begunAt, completeAt } = found;
    if (outcome === 'downstream-error')
      throw new Refusal(500, 'downstream_service_error', 'Downstream service error');
    if (outcome === 'pending' || this.clock.now() < completeAt)
      return { id, verification: 'pending', traceId };
    const [code, message] = outcome;
    if (outcome !== VALID) return { id, verification: 'failed', code, message, traceId };
    const isNamed = findingOf(this.checks.behaviourOf(account)) !== 'no_name';
    const name = isNamed ? this.checks.holderOf(account) : null;
    const data = { name, transactionReference: '334817538512', verifiedAt: begunAt.toISOString() };
    return { id, verification: 'success', code, message, data, traceId };
  }

  private outcomeOf(
    account: string,
    ifsc: string,
    finding: keyof typeof OUTCOMES | undefined,
  ): Verification['outcome'] {
    const tested = account === TEST_ACCOUNT ? TEST_IFSCS[ifsc] : undefined;
    if (tested !== undefined) return tested;
    if (this.checks.isAway(account)) return OFFLINE;
    return finding ? OUTCOMES[finding] : VALID;
  }
}
