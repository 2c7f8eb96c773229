import type { IncomingHttpHeaders } from 'node:http';
import { Body, Get, Headers, HttpCode, Post, Query } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { z } from 'zod';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { field } from '../../http/fields.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import { throwIfFault } from '../../http/faults.js';
import { bankNameOf } from '../../providers/bank/bank-names.table.js';
import { BankChecks, type BankFinding, findingOf } from '../../providers/bank/bank-checks.service.js';
import { VendorWebhooks } from '../vendor-webhooks.service.js';
import { CASHFREE_ACCOUNTS, type CashfreeOutcome, IN_PROGRESS, VALID } from './cashfree-bank.table.js';
import { CASHFREE } from './cashfree-dialect.js';
import { cashfreeWebhook } from './cashfree-webhook.js';

const request = z.object({
  bank_account: z.string().regex(/^[A-Za-z0-9]{6,40}$/),
  ifsc: field.ifsc,
  name: z.string().max(100).optional(),
  user_id: z
    .string()
    .regex(/^\w{1,40}$/)
    .optional(),
  phone: z
    .string()
    .regex(/^\d{8,13}$/)
    .optional(),
});

interface Verification {
  readonly reference_id: number;
  readonly user_id: string | undefined;
  readonly account: string;
  readonly ifsc: string;
  readonly outcome: CashfreeOutcome;
  readonly completeAt: Date;
}

/** A closed account is answered like a wrong number. */
const OUTCOMES: Readonly<Record<Exclude<BankFinding, 'refused_at_start'>, CashfreeOutcome>> = {
  frozen: ['INVALID', 'ACCOUNT_BLOCKED'],
  closed: ['INVALID', 'INVALID_ACCOUNT_FAIL'],
  no_account: ['INVALID', 'INVALID_ACCOUNT_FAIL'],
  fraud: ['REJECTED', 'FRAUD_ACCOUNT'],
  no_result: ['MANUALLY_REJECTED', null],
  no_name: VALID,
  other_name: VALID,
};

/** Cashfree's bank account verification, version 2, asynchronous. */
@OutsideApi('vendors/cashfree/verification/bank-account', CASHFREE)
export class CashfreeBankController {
  private readonly byReference = new BoundedMap<string, Verification>();
  private readonly byUserId = new BoundedMap<string, Verification>();
  private lastReference = 34_000;

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
    private readonly checks: BankChecks,
    private readonly webhooks: VendorWebhooks,
  ) {}

  /** Sends a penny for each accepted call. Refuses a known reference of the caller. */
  @Post('async')
  @HttpCode(200)
  async begin(@Body() body: unknown, @Headers() headers: IncomingHttpHeaders): Promise<object> {
    const { bank_account: account, ifsc, user_id } = readBody(request, body);
    const behaviour = throwIfFault(this.checks.behaviourOf(account));
    if (behaviour === 'no_money')
      throw new Refusal(422, 'insufficient_balance', 'insufficient balance to process this request');
    if (behaviour === 'error_inside')
      return { type: 'internal_error', code: 'api_error', message: 'Something went wrong' };
    if (this.checks.isAway(account))
      throw new Refusal(422, 'benficiary_bank_offline', 'beneficiary bank offline');
    if (user_id !== undefined && this.byUserId.has(user_id))
      throw new Refusal(400, 'user_id_already_exists', 'user_id already exists');
    const finding = findingOf(behaviour);
    if (finding === 'refused_at_start') throw new Refusal(422, 'invalid_ifsc_fail', 'IFSC is invalid');
    this.effects.record({
      provider: 'cashfree',
      kind: 'penny_drop',
      subject: account,
      idempotencyKey: user_id,
    });
    const verification: Verification = {
      reference_id: ++this.lastReference,
      user_id,
      account,
      ifsc,
      outcome: CASHFREE_ACCOUNTS[account]?.outcome ?? (finding ? OUTCOMES[finding] : VALID),
      completeAt: this.checks.completeAt(account, this.clock.now()),
    };
    this.byReference.set(String(verification.reference_id), verification);
    if (user_id !== undefined) this.byUserId.set(user_id, verification);
    this.announce(verification, headers);
    await this.checks.beforeAnswer(account);
    return present(verification, IN_PROGRESS);
  }

  private announce(verification: Verification, headers: IncomingHttpHeaders): void {
    const now = () => this.clock.now();
    const webhookOf = (data: object) =>
      cashfreeWebhook('BANK_ACCOUNT_VERIFICATION_SUCCESS', 'v2', data, headers, now);
    this.webhooks.send(
      String(headers['x-client-id']),
      {
        happened: webhookOf(present(verification, verification.outcome)),
        before: webhookOf(present(verification, IN_PROGRESS)),
      },
      verification.completeAt.getTime() - this.clock.now().getTime(),
    );
  }

  @Get()
  find(@Query('reference_id') reference?: string, @Query('user_id') userId?: string): object {
    const found = userId === undefined ? this.byReference.get(reference ?? '') : this.byUserId.get(userId);
    if (!found) {
      const name = userId === undefined ? 'reference_id' : 'user_id';
      throw new Refusal(404, `${name}_not_found`, `${name} does not exist`);
    }
    const { account, ifsc, outcome, completeAt } = found;
    if (this.clock.now() < completeAt) return present(found, IN_PROGRESS);
    if (outcome !== VALID) return present(found, outcome);
    const bank = bankNameOf(ifsc);
    return {
      ...present(found, outcome),
      name_at_bank: this.nameAtBank(account),
      bank_name: bank,
      utr: '334817538512',
      city: 'BENGALURU',
      branch: 'MAIN',
      micr: 0,
      ifsc_details: { bank, ifsc, ifsc_subcode: ifsc.slice(0, 5), city: 'BENGALURU', branch: 'MAIN' },
    };
  }

  /** Null: some banks do not tell it. */
  private nameAtBank(account: string): string | null {
    if (findingOf(this.checks.behaviourOf(account)) === 'no_name') return null;
    return CASHFREE_ACCOUNTS[account]?.holder ?? this.checks.holderOf(account);
  }
}

function present({ reference_id, user_id }: Verification, [status, code]: CashfreeOutcome): object {
  return { reference_id, user_id, account_status: status, account_status_code: code };
}
