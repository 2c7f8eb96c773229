import { Body, Get, Headers, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { field } from '../../http/fields.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { readBody, readIdempotencyKey } from '../../http/request.js';
import { unlessTrouble } from '../../http/trouble.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { BankService } from './bank.service.js';

const bankAccount = z.object({
  account_number: field.accountNumber,
  ifsc: field.ifsc,
  holder_name: field.personName,
});

@OutsideApi('providers/bank/account-verifications')
export class BankController {
  constructor(private readonly bank: BankService) {}

  @Post()
  verify(
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): object {
    const account = readBody(bankAccount, body);
    const idempotencyKey = readIdempotencyKey(key);
    const finding = unlessTrouble(behaviourOf('bank', 'account', account.account_number));
    const answer = this.bank.verify(account, finding, idempotencyKey);
    response.status(answer.status);
    return answer.body;
  }

  @Get(':id')
  find(@Param('id') id: string): object {
    return this.bank.find(id);
  }
}
