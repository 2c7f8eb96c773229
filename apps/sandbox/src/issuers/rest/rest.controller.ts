import { Body, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody, readIdempotencyKey } from '../../http/request.js';
import { throwIfFault } from '../../http/faults.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { customerAt } from '../customer.js';
import { issuerAmong, REST_ISSUERS } from '../issuer-slugs.js';
import { customerSearch, newBankAccount } from './rest-messages.js';

/** Issuers whose APIs are plain JSON over HTTP and answer at once. */
@OutsideApi('issuers/:slug')
export class RestController {
  /** Account numbers of the registrations, by issuer and id. */
  private readonly beneficiaries = new BoundedMap<string, string>();

  constructor(private readonly effects: Effects) {}

  @Post('customers/search')
  @HttpCode(200)
  search(@Param('slug') slug: string, @Body() body: unknown): object {
    const issuer = issuerAmong(REST_ISSUERS, slug);
    const { pan } = readBody(customerSearch, body);
    throwIfFault(behaviourOf('issuer', 'pan', pan));
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
    if (throwIfFault(behaviourOf('issuer', 'account', account)) === 'invalid_beneficiary') {
      throw new Refusal(422, 'invalid_beneficiary', 'The account cannot be registered.');
    }
    return this.effects.once(
      { provider: `issuer:${issuer}`, kind: 'account_registration', subject: account, idempotencyKey },
      () => {
        const id = uuidv7();
        this.beneficiaries.set(`${issuer} ${id}`, account);
        return { beneficiary_id: id, state: 'ACTIVE' };
      },
    );
  }

  @Post('bank-accounts/:id/withdrawal')
  @HttpCode(200)
  withdraw(
    @Param('slug') slug: string,
    @Param('id') id: string,
    @Headers('idempotency-key') key: string | undefined,
  ): object {
    const issuer = issuerAmong(REST_ISSUERS, slug);
    const idempotencyKey = readIdempotencyKey(key);
    const subject = this.beneficiaries.get(`${issuer} ${id}`);
    if (subject === undefined) throw new Refusal(404, 'unknown_beneficiary', 'There is no such beneficiary.');
    return this.effects.once(
      { provider: `issuer:${issuer}`, kind: 'account_withdrawal', subject, idempotencyKey },
      () => ({
        beneficiary_id: id,
        state: 'WITHDRAWN',
      }),
    );
  }
}
