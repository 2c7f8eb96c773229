import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { BoundedMap } from '../../http/bounded-map.js';
import { after } from '../../http/india-time.js';
import { delayAnswer, OddAnswer } from '../../http/faults.js';
import type { Behaviours } from '../../magic/magic-value.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { personOf } from '../pan-registry/person.js';
import { otherNameThan } from '../holder.js';

type Behaviour = Behaviours['bank'] | undefined;

/** How long a pending verification takes. */
const PENDING_SECONDS = 5;
/** How long a bank is offline. */
const AWAY_SECONDS = 5;

/** Accounts, for all providers of bank verifications. */
@Injectable()
export class BankChecks {
  private readonly holders = new BoundedMap<string, string>();
  /** End of the offline time of a bank, by account. */
  private readonly awayUntil = new BoundedMap<string, Date>();

  constructor(private readonly clock: Clock) {}

  behaviourOf(account: string): Behaviour {
    return behaviourOf('bank', 'account', account);
  }

  /** Sets the holder of an account, for providers that get no name. */
  name(account: string, holder: string): void {
    this.holders.set(account, holder.toUpperCase());
  }

  /** The name at the bank. An account always has the same holder, unless another one is set. */
  holderOf(account: string): string {
    const letter = String.fromCharCode(65 + (Number(account.slice(-6)) % 26));
    const holder = this.holders.get(account) ?? personOf(`BANK${letter}${account}`).full;
    return this.behaviourOf(account) === 'other_name' ? otherNameThan(holder) : holder;
  }

  /** Whether the bank of an account is offline; it is back some seconds after the first call. */
  isAway(account: string): boolean {
    if (this.behaviourOf(account) !== 'offline') return false;
    const now = this.clock.now();
    const until = this.awayUntil.get(account) ?? after(now, AWAY_SECONDS);
    this.awayUntil.set(account, until);
    return now < until;
  }

  /** The time of the result of a verification that begins at a moment. */
  completeAt(account: string, now: Date): Date {
    return this.behaviourOf(account) === 'pending' ? after(now, PENDING_SECONDS) : now;
  }

  /** Applies an account's fault to the answer of a call that has had its effect. @throws OddAnswer */
  async beforeAnswer(account: string): Promise<void> {
    const behaviour = this.behaviourOf(account);
    if (behaviour === 'silent_after_payment') throw new OddAnswer('silent');
    if (behaviour === 'slow') await delayAnswer();
  }
}

const FINDINGS = [
  'frozen',
  'closed',
  'other_name',
  'no_name',
  'no_account',
  'fraud',
  'refused_at_start',
  'no_result',
] as const;

/** What a bank or provider finds about an account that is not simply good. */
export type BankFinding = (typeof FINDINGS)[number];

/** The fault of an account; undefined for a good one. */
export const findingOf = (behaviour: Behaviour): BankFinding | undefined =>
  FINDINGS.find((finding) => finding === behaviour);
