import { Body, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { isTrouble } from '../../magic/magic-value.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { Behaviours } from '../../wire/behaviours.service.js';
import { OutsideApi } from '../../wire/outside-api.decorator.js';
import { readIdempotencyKey } from '../../wire/wire-request.js';
import { customerAt } from '../customer.js';
import { FORMAT_B_ISSUERS, issuerAmong } from '../issuer-slugs.js';
import { BeneficiariesService } from './beneficiaries.service.js';
import {
  beneficiaryAdd,
  beneficiaryStatus,
  cbsAnswer,
  type CbsResult,
  customerEnquiry,
} from './cbs-message.js';

const FORMAT_ERROR: CbsResult = { code: '30', body: {} };

/**
 * Issuers that open their core banking system: every answer has the status 200 and says in its header what it
 * means. Only the gateway before it, which asks for the key, knows other statuses.
 */
@OutsideApi('issuers/:slug/cbs')
export class FormatBController {
  constructor(
    private readonly beneficiaries: BeneficiariesService,
    private readonly behaviours: Behaviours,
  ) {}

  @Post('customerEnquiry')
  enquire(@Param('slug') slug: string, @Body() body: unknown, @Res() response: Response): void {
    const issuer = issuerAmong(FORMAT_B_ISSUERS, slug);
    const call = customerEnquiry.safeParse(body);
    if (!call.success) return answer(response, FORMAT_ERROR, body);
    const { panNumber: pan } = call.data.body;
    const behaviour = behaviourOf('issuer', 'pan', pan);
    if (isTrouble(behaviour)) return this.behaviours.behave(behaviour, response);
    answer(response, enquiryResult(issuer, pan), body);
  }

  @Post('beneficiaryAdd')
  add(
    @Param('slug') slug: string,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Body() body: unknown,
    @Res() response: Response,
  ): void {
    const issuer = issuerAmong(FORMAT_B_ISSUERS, slug);
    const call = beneficiaryAdd.safeParse(body);
    if (!call.success) return answer(response, FORMAT_ERROR, body);
    const { benAcctNo: account } = call.data.body;
    const key = readIdempotencyKey(idempotencyKey);
    const behaviour = behaviourOf('issuer', 'account', account);
    if (isTrouble(behaviour)) return this.behaviours.behave(behaviour, response);
    const isValid = behaviour !== 'invalid_beneficiary';
    answer(response, this.beneficiaries.add(issuer, account, isValid, key), body);
  }

  @Post('beneficiaryStatus')
  @HttpCode(200)
  status(@Param('slug') slug: string, @Body() body: unknown): object {
    const issuer = issuerAmong(FORMAT_B_ISSUERS, slug);
    const call = beneficiaryStatus.safeParse(body);
    if (!call.success) return cbsAnswer(FORMAT_ERROR, body);
    return cbsAnswer(this.beneficiaries.statusOf(issuer, call.data.body.ackNo), body);
  }
}

function answer(response: Response, result: CbsResult, call: unknown): void {
  response.status(200).json(cbsAnswer(result, call));
}

function enquiryResult(issuer: string, pan: string): CbsResult {
  const customer = customerAt(issuer, pan);
  if (!customer) return { code: '14', body: {} };
  const kycFlag = customer.isKycComplete ? 'Y' : 'N';
  return { code: '00', body: { custId: customer.number, kycFlag, matchFlags: 'PM' } };
}
