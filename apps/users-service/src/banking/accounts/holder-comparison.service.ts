import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { IdentitiesRepository } from '../../kyc/index.js';
import type { BankAccount } from './bank-account.js';
import { BankAccountsRepository } from './bank-accounts.repository.js';
import { BankLeases } from './bank-leases.repository.js';
import { REFUSALS } from './bank-outcome.js';
import { BankSteps } from './bank-steps.service.js';
import { ACCOUNT_TRANSITIONS, stateAfter } from './bank.states.js';
import { isMismatch, matchHolder } from './holder-match.js';

/**
 * Compares accounts that were verified before there was a PAN with its name, once there is one. Until then the step
 * BANK stays open. Whom the bank named is known, so it is not asked again.
 */
@Injectable()
export class HolderComparison {
  constructor(
    private readonly leases: BankLeases,
    private readonly accounts: BankAccountsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly steps: BankSteps,
  ) {}

  /** @returns the account as it is then: still verified, or another's; as it was when there is nothing to compare */
  async catchUp(account: BankAccount): Promise<BankAccount> {
    if (!isToBeCompared(account)) return account;
    const panName = (await this.identities.of(account.userId))?.fullName;
    if (panName === undefined) return account;
    return this.leases.transaction(async (manager) => {
      const locked = await this.accounts.lock(manager, account.id);
      // somebody else's call may have been faster
      if (isToBeCompared(locked)) await this.compare(manager, locked, panName);
      return (await this.accounts.find(account.id, manager))!;
    });
  }

  private async compare(manager: EntityManager, account: BankAccount, panName: string): Promise<void> {
    const { id, userId, holder, bankName } = account;
    const nameAtBank = account.nameAtBank!;
    const match = matchHolder(holder.claimed, { panName, nameAtBank })!;
    const event = isMismatch(match) ? 'DIFFERED' : 'MATCHED';
    const state = stateAfter(ACCOUNT_TRANSITIONS, account.state, event);
    const result = { state, nameAtBank, bankName: bankName!, match, isCompared: true };
    await this.accounts.settleNamed(manager, id, result);
    if (event === 'DIFFERED') return this.steps.drop(manager, account, REFUSALS.MISMATCHED.code);
    await this.steps.record(manager, userId, await this.steps.completed(manager, id));
  }
}

function isToBeCompared({ state, isCompared }: BankAccount): boolean {
  return state === 'VERIFIED' && !isCompared;
}
