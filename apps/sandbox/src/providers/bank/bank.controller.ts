import { Body, Get, Headers, Param, Post, Res } from '@nestjs/common';
import { Clock } from '@fd/platform';
import type { Response } from 'express';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { field } from '../../http/fields.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody, readIdempotencyKey } from '../../http/request.js';
import { throwIfFault } from '../../http/faults.js';
import { BankChecks, findingOf } from './bank-checks.service.js';
import { type BankVerification, bankVerificationAt, isComplete } from './bank-verification.js';

const bankAccount = z.object({
  account_number: field.accountNumber,
  ifsc: field.ifsc,
  holder_name: field.personName,
});

/** Verifies an account by sending a penny to it. */
@OutsideApi('providers/bank/account-verifications')
export class BankController {
  private readonly verifications = new BoundedMap<string, BankVerification>();

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
    private readonly checks: BankChecks,
  ) {}

  /** Sends one penny for each idempotency key. Answers 202 while the result is pending. */
  @Post()
  async verify(
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const account = readBody(bankAccount, body);
    const { account_number: subject } = account;
    const idempotencyKey = readIdempotencyKey(key);
    const behaviour = throwIfFault(this.checks.behaviourOf(subject));
    if (behaviour === 'no_money') throw new Refusal(403, 'no_money', 'The wallet is empty.');
    if (behaviour === 'error_inside') {
      response.status(200);
      return { error: { type: 'internal', message: 'Something went wrong.' } };
    }
    if (this.checks.isAway(subject)) throw new Refusal(503, 'bank_offline', 'The bank is down.');
    const finding = findingOf(behaviour);
    const verified = () => {
      const now = this.clock.now();
      const completeAt = this.checks.completeAt(subject, now);
      const verification = { id: uuidv7(), account, finding, completeAt };
      this.verifications.set(verification.id, verification);
      const status = isComplete(verification, now) ? 200 : 202;
      return { status, body: bankVerificationAt(verification, now) };
    };
    const answer =
      finding === 'refused_at_start'
        ? verified()
        : this.effects.once({ provider: 'bank', kind: 'penny_drop', subject, idempotencyKey }, verified);
    await this.checks.beforeAnswer(subject);
    response.status(answer.status);
    return answer.body;
  }

  @Get(':id')
  find(@Param('id') id: string): object {
    const verification = this.verifications.get(id);
    if (!verification) throw new Refusal(404, 'not_found', 'There is no such verification.');
    return bankVerificationAt(verification, this.clock.now());
  }
}
