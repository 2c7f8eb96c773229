import { Body, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../../effects/effects.service.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody, readIdempotencyKey } from '../../http/request.js';
import { unlessTrouble } from '../../http/trouble.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { customerAt } from '../customer.js';
import { issuerAmong, REST_ISSUERS } from '../issuer-slugs.js';
import { customerSearch, newBankAccount } from './rest-messages.js';

/** Issuers whose APIs are plain JSON over HTTP and answer at once. */
@OutsideApi('issuers/:slug')
export class RestController {
  constructor(private readonly effects: Effects) {}

  @Post('customers/search')
  @HttpCode(200)
  search(@Param('slug') slug: string, @Body() body: unknown): object {
    const issuer = issuerAmong(REST_ISSUERS, slug);
    const { pan } = readBody(customerSearch, body);
    unlessTrouble(behaviourOf('issuer', 'pan', pan));
    const customer = customerAt(issuer, pan);
    if (!customer) return { found: false, customer: null };
    const kycStatus = customer.isKycComplete ? 'COMPLETE' : 'DUE';
    return {
      found: true,
      customer: { customer_no: customer.number, kyc_status: kycStatus, matched_on: ['PAN', 'MOBILE'] },
    };
  }

  @Post('bank-accounts')
  register(
    @Param('slug') slug: string,
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: unknown,
  ): object {
    const issuer = issuerAmong(REST_ISSUERS, slug);
    const { account_no: account } = readBody(newBankAccount, body);
    const idempotencyKey = readIdempotencyKey(key);
    if (unlessTrouble(behaviourOf('issuer', 'account', account)) === 'invalid_beneficiary') {
      throw new Refusal(422, 'invalid_beneficiary', 'The account cannot be registered.');
    }
    return this.effects.once(
      { party: `issuer:${issuer}`, kind: 'account_registration', subject: account, idempotencyKey },
      () => ({ beneficiary_id: uuidv7(), state: 'ACTIVE' }),
    );
  }
}
