import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import type { CbsResult } from './cbs-messages.js';

/** The time between acceptance and decision. */
const PENDING_MS = 300;

interface Acceptance {
  readonly issuer: string;
  readonly benId: string;
  readonly isValid: boolean;
  readonly decidedAt: number;
}

/** Accounts to pay to. The core banking system accepts them first and decides later. */
@Injectable()
export class Beneficiaries {
  private readonly acceptances = new BoundedMap<string, Acceptance>();

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
  ) {}

  /** Accepts one account for each idempotency key. */
  add(issuer: string, account: string, isValid: boolean, idempotencyKey: string | undefined): CbsResult {
    return this.effects.once(
      { party: `issuer:${issuer}`, kind: 'account_registration', subject: account, idempotencyKey },
      () => {
        const ackNo = uuidv7();
        const decidedAt = this.clock.now().getTime() + PENDING_MS;
        this.acceptances.set(ackNo, { issuer, benId: uuidv7(), isValid, decidedAt });
        return { code: '01', body: { ackNo } };
      },
    );
  }

  statusOf(issuer: string, ackNo: string): CbsResult {
    const acceptance = this.acceptances.get(ackNo);
    if (acceptance?.issuer !== issuer) return { code: '14', body: {} };
    if (this.clock.now().getTime() < acceptance.decidedAt) return { code: '01', body: { benStatus: 'P' } };
    if (!acceptance.isValid) return { code: '57', body: { benStatus: 'R' } };
    return { code: '00', body: { benStatus: 'A', benId: acceptance.benId } };
  }
}
