import { Body, Headers, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../../effects/effects.service.js';
import { isTrouble } from '../../magic/magic-value.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { Behaviours } from '../../wire/behaviours.service.js';
import { OutsideApi } from '../../wire/outside-api.decorator.js';
import { Refusal } from '../../wire/refusal.js';
import { readBody, readIdempotencyKey } from '../../wire/wire-request.js';
import { type Customer, customerAt } from '../customer.js';
import { FORMAT_A_ISSUERS, issuerAmong } from '../issuer-slugs.js';
import { customerSearch, newBankAccount } from './format-a-requests.js';

/** Issuers whose APIs are plain JSON over HTTP and answer at once. */
@OutsideApi('issuers/:slug')
export class FormatAController {
  constructor(
    private readonly effects: Effects,
    private readonly behaviours: Behaviours,
  ) {}

  @Post('customers/search')
  search(@Param('slug') slug: string, @Body() body: unknown, @Res() response: Response): void {
    const issuer = issuerAmong(FORMAT_A_ISSUERS, slug);
    const { pan } = readBody(customerSearch, body);
    const behaviour = behaviourOf('issuer', 'pan', pan);
    if (isTrouble(behaviour)) return this.behaviours.behave(behaviour, response);
    const customer = customerAt(issuer, pan);
    response
      .status(200)
      .json({ found: customer !== undefined, customer: customer ? customerView(customer) : null });
  }

  @Post('bank-accounts')
  register(
    @Param('slug') slug: string,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Body() body: unknown,
    @Res() response: Response,
  ): void {
    const issuer = issuerAmong(FORMAT_A_ISSUERS, slug);
    const { account_no: account } = readBody(newBankAccount, body);
    const key = readIdempotencyKey(idempotencyKey);
    const behaviour = behaviourOf('issuer', 'account', account);
    if (isTrouble(behaviour)) return this.behaviours.behave(behaviour, response);
    if (behaviour === 'invalid_beneficiary') {
      throw new Refusal(422, 'invalid_beneficiary', 'The account cannot be registered.');
    }
    const registration = this.effects.once(
      { party: `issuer:${issuer}`, kind: 'account_registration', subject: account, idempotencyKey: key },
      () => ({ beneficiary_id: uuidv7(), state: 'ACTIVE' }),
    );
    response.status(201).json(registration);
  }
}

function customerView({ number, isKycComplete }: Customer): object {
  return {
    customer_no: number,
    kyc_status: isKycComplete ? 'COMPLETE' : 'DUE',
    matched_on: ['PAN', 'MOBILE'],
  };
}
