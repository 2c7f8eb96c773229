import { Body, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { readIdempotencyKey } from '../../http/request.js';
import { throwIfFault } from '../../http/faults.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { customerAt } from '../customer.js';
import { CORE_BANKING_ISSUERS, issuerAmong } from '../issuer-slugs.js';
import {
  beneficiaryAdd,
  beneficiaryStatus,
  cbsAnswer,
  type CbsResult,
  customerEnquiry,
  FORMAT_ERROR,
} from './cbs-messages.js';

/** The time between acceptance of a beneficiary and the decision. */
const PENDING_MS = 300;

/** A payout account that the core banking system accepts at once and decides on later. */
interface Acceptance {
  readonly issuer: string;
  readonly benId: string;
  readonly isValid: boolean;
  readonly decidedAt: number;
}

/**
 * Issuers that expose their core banking system: every answer has the status 200 and a code in its header. Only the
 * gateway in front of it, which requires the key, uses other statuses.
 */
@OutsideApi('issuers/:slug/cbs')
export class CoreBankingController {
  private readonly acceptances = new BoundedMap<string, Acceptance>();

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
  ) {}

  @Post('customerEnquiry')
  @HttpCode(200)
  enquire(@Param('slug') slug: string, @Body() body: unknown): object {
    const issuer = issuerAmong(CORE_BANKING_ISSUERS, slug);
    const call = customerEnquiry.safeParse(body);
    if (!call.success) return cbsAnswer(FORMAT_ERROR, body);
    const { panNumber: pan } = call.data.body;
    throwIfFault(behaviourOf('issuer', 'pan', pan));
    const customer = customerAt(issuer, pan);
    if (!customer) return cbsAnswer({ code: '14', body: {} }, body);
    const kycFlag = customer.isKycComplete ? 'Y' : 'N';
    return cbsAnswer({ code: '00', body: { custId: customer.number, kycFlag, matchFlags: 'PM' } }, body);
  }

  /** Accepts one account for each idempotency key. */
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
    const { benAcctNo: subject } = call.data.body;
    const idempotencyKey = readIdempotencyKey(key);
    const isValid = throwIfFault(behaviourOf('issuer', 'account', subject)) !== 'invalid_beneficiary';
    const effect = { provider: `issuer:${issuer}`, kind: 'account_registration', subject, idempotencyKey };
    const ackNo = this.effects.once(effect, () => {
      const id = uuidv7();
      const decidedAt = this.clock.now().getTime() + PENDING_MS;
      this.acceptances.set(id, { issuer, benId: uuidv7(), isValid, decidedAt });
      return id;
    });
    return cbsAnswer({ code: '01', body: { ackNo } }, body);
  }

  @Post('beneficiaryStatus')
  @HttpCode(200)
  status(@Param('slug') slug: string, @Body() body: unknown): object {
    const issuer = issuerAmong(CORE_BANKING_ISSUERS, slug);
    const call = beneficiaryStatus.safeParse(body);
    if (!call.success) return cbsAnswer(FORMAT_ERROR, body);
    return cbsAnswer(this.decisionOn(issuer, call.data.body.ackNo), body);
  }

  private decisionOn(issuer: string, ackNo: string): CbsResult {
    const acceptance = this.acceptances.get(ackNo);
    if (acceptance?.issuer !== issuer) return { code: '14', body: {} };
    if (this.clock.now().getTime() < acceptance.decidedAt) return { code: '01', body: { benStatus: 'P' } };
    if (!acceptance.isValid) return { code: '57', body: { benStatus: 'R' } };
    return { code: '00', body: { benStatus: 'A', benId: acceptance.benId } };
  }
}
