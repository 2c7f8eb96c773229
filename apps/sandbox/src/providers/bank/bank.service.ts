import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { after } from '../../http/india-time.js';
import { Refusal } from '../../http/refusal.js';
import {
  type BankAccount,
  type BankFinding,
  type BankVerification,
  bankVerificationAt,
  isComplete,
} from './bank-verification.js';

/** How long a pending verification takes. */
const PENDING_SECONDS = 5;

export interface BankAnswer {
  readonly status: 200 | 202;
  readonly body: object;
}

/** Verifies an account by sending a penny to it. */
@Injectable()
export class BankService {
  private readonly verifications = new BoundedMap<string, BankVerification>();

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
  ) {}

  /** Sends one penny for each idempotency key. */
  verify(account: BankAccount, finding: BankFinding, idempotencyKey: string | undefined): BankAnswer {
    const effect = { party: 'bank', kind: 'penny_drop', subject: account.account_number, idempotencyKey };
    return this.effects.once(effect, () => {
      const now = this.clock.now();
      const completeAt = finding === 'pending' ? after(now, PENDING_SECONDS) : now;
      const verification = { id: uuidv7(), account, finding, completeAt };
      this.verifications.set(verification.id, verification);
      return {
        status: isComplete(verification, now) ? 200 : 202,
        body: bankVerificationAt(verification, now),
      };
    });
  }

  /** @throws Refusal `not_found` */
  find(id: string): object {
    const verification = this.verifications.get(id);
    if (!verification) throw new Refusal(404, 'not_found', 'There is no such verification.');
    return bankVerificationAt(verification, this.clock.now());
  }
}
