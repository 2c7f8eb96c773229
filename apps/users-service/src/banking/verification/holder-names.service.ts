import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { stateAfter } from '../../core/index.js';
import { IdentitiesRepository } from '../../kyc/index.js';
import type { BankAccount } from '../accounts/bank-account.js';
import { BankAccountsRepository } from '../accounts/bank-accounts.repository.js';
import { REFUSALS } from '../accounts/bank-refusals.js';
import { ACCOUNT_TRANSITIONS } from '../accounts/bank.states.js';
import { RegistrationsRepository } from '../accounts/registrations.repository.js';
import { isMismatch, matchHolder } from './holder-match.js';

/** Settles accounts by comparing the holder's name with the bank's and the PAN's. */
@Injectable()
export class HolderNames {
  constructor(
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly identities: IdentitiesRepository,
  ) {}

  /**
   * Compares an account that was verified before the PAN with the PAN's name, once there is one. Until then the
   * step BANK stays open. The bank's name is stored, so the bank is not asked again.
   * @returns the account as it is then; unchanged when there is nothing to compare
   */
  async recheckHolderName(account: BankAccount): Promise<BankAccount> {
    if (!isToBeCompared(account)) return account;
    const panName = (await this.identities.findByUserId(account.userId))?.fullName;
    if (panName === undefined) return account;
    return this.accounts.transaction(async (manager) => {
      const locked = await this.accounts.lockById(manager, account.id);
      // a parallel call may have been faster
      if (!isToBeCompared(locked)) return locked;
      const { id, userId, nameAtBank, bankName } = locked;
      const known = { panName, nameAtBank: nameAtBank!, bankName: bankName! };
      if ((await this.settle(manager, locked, known)) === 'MATCHED') {
        const steps = await this.registrations.completedSteps(manager, id);
        await this.registrations.recordSteps(manager, userId, steps);
      }
      return this.accounts.findById(id, manager);
    });
  }

  /** Writes the result of the comparison. Drops the registrations when the account belongs to another person. */
  async settle(
    manager: EntityManager,
    { id, userId, state: before, holder }: BankAccount,
    known: { readonly panName: string | undefined; readonly nameAtBank: string; readonly bankName: string },
  ): Promise<'MATCHED' | 'DIFFERED'> {
    const { panName, nameAtBank, bankName } = known;
    const match = matchHolder(holder.claimed, { panName, nameAtBank })!;
    const event = isMismatch(match) ? 'DIFFERED' : 'MATCHED';
    const state = stateAfter(ACCOUNT_TRANSITIONS, before, event);
    const isCompared = panName !== undefined;
    await this.accounts.settleWithName(manager, id, { state, nameAtBank, bankName, match, isCompared });
    if (event === 'DIFFERED')
      await this.registrations.dropForAccount(manager, { id, userId }, REFUSALS.MISMATCHED.code);
    return event;
  }
}

function isToBeCompared({ state, isCompared }: BankAccount): boolean {
  return state === 'VERIFIED' && !isCompared;
}
