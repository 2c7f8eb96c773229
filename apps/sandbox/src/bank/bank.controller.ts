import { Body, Get, Headers, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { isTrouble } from '../magic/magic-value.js';
import { behaviourOf } from '../magic/magic-values.table.js';
import { Behaviours } from '../wire/behaviours.service.js';
import { OutsideApi } from '../wire/outside-api.decorator.js';
import { wireField } from '../wire/wire-fields.js';
import { readBody, readIdempotencyKey } from '../wire/wire-request.js';
import { BankService } from './bank.service.js';

const bankAccount = z.object({
  account_number: wireField.accountNumber,
  ifsc: wireField.ifsc,
  holder_name: wireField.personName,
});

@OutsideApi('providers/bank')
export class BankController {
  constructor(
    private readonly bank: BankService,
    private readonly behaviours: Behaviours,
  ) {}

  @Post('account-verifications')
  verify(
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Body() body: unknown,
    @Res() response: Response,
  ): void {
    const account = readBody(bankAccount, body);
    const key = readIdempotencyKey(idempotencyKey);
    const behaviour = behaviourOf('bank', 'account', account.account_number);
    if (isTrouble(behaviour)) return this.behaviours.behave(behaviour, response);
    const answer = this.bank.verify(account, behaviour, key);
    response.status(answer.status).json(answer.body);
  }

  @Get('account-verifications/:id')
  find(@Param('id') id: string): object {
    return this.bank.find(id);
  }
}
