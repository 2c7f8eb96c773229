import { Body, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { readIdempotencyKey } from '../../http/request.js';
import { unlessTrouble } from '../../http/trouble.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { customerAt } from '../customer.js';
import { CORE_BANKING_ISSUERS, issuerAmong } from '../issuer-slugs.js';
import { Beneficiaries } from './beneficiaries.service.js';
import {
  beneficiaryAdd,
  beneficiaryStatus,
  cbsAnswer,
  customerEnquiry,
  FORMAT_ERROR,
} from './cbs-messages.js';

/**
 * Issuers that open their core banking system: every answer has the status 200 and a code in its header. Only the
 * gateway before it, which requires the key, knows other statuses.
 */
@OutsideApi('issuers/:slug/cbs')
export class CoreBankingController {
  constructor(private readonly beneficiaries: Beneficiaries) {}

  @Post('customerEnquiry')
  @HttpCode(200)
  enquire(@Param('slug') slug: string, @Body() body: unknown): object {
    const issuer = issuerAmong(CORE_BANKING_ISSUERS, slug);
    const call = customerEnquiry.safeParse(body);
    if (!call.success) return cbsAnswer(FORMAT_ERROR, body);
    const { panNumber: pan } = call.data.body;
    unlessTrouble(behaviourOf('issuer', 'pan', pan));
    const customer = customerAt(issuer, pan);
    if (!customer) return cbsAnswer({ code: '14', body: {} }, body);
    const kycFlag = customer.isKycComplete ? 'Y' : 'N';
    return cbsAnswer({ code: '00', body: { custId: customer.number, kycFlag, matchFlags: 'PM' } }, body);
  }

  @Post('beneficiaryAdd')
  @HttpCode(200)
  add(
    @Param('slug') slug: string,
    @Headers('idempotency-key') key: string | undefined,
    @Body() body: unknown,
  ): object {
    const issuer = issuerAmong(CORE_BANKING_ISSUERS, slug);
    const call = beneficiaryAdd.safeParse(body);
    if (!call.success) return cbsAnswer(FORMAT_ERROR, body);
    const { benAcctNo: account } = call.data.body;
    const idempotencyKey = readIdempotencyKey(key);
    const isValid = unlessTrouble(behaviourOf('issuer', 'account', account)) !== 'invalid_beneficiary';
    return cbsAnswer(this.beneficiaries.add(issuer, account, isValid, idempotencyKey), body);
  }

  @Post('beneficiaryStatus')
  @HttpCode(200)
  status(@Param('slug') slug: string, @Body() body: unknown): object {
    const issuer = issuerAmong(CORE_BANKING_ISSUERS, slug);
    const call = beneficiaryStatus.safeParse(body);
    if (!call.success) return cbsAnswer(FORMAT_ERROR, body);
    return cbsAnswer(this.beneficiaries.statusOf(issuer, call.data.body.ackNo), body);
  }
}
