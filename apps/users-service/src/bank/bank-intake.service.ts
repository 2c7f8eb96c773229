import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Issuer } from '../issuers/issuer.js';
import { JourneyRepository } from '../journey/journey.repository.js';
import type { NameMatch } from '../name-matching/index.js';
import type { BankAccount, BankSync } from './bank-account.js';
import { BankAccountsRepository, type GivenAccount } from './bank-accounts.repository.js';
import { BankLeases } from './bank-leases.repository.js';
import { BankSyncsRepository } from './bank-syncs.repository.js';
import { ACCOUNT_TRANSITIONS, OPEN_ACCOUNT_STATES, stateAfter } from './bank.states.js';

/**
 * Writes down what a user wants before anything is done about it: a crash after that loses nothing. Locks are
 * taken in one order: account, registration, journey.
 */
@Injectable()
export class BankIntake {
  constructor(
    private readonly leases: BankLeases,
    private readonly accounts: BankAccountsRepository,
    private readonly syncs: BankSyncsRepository,
    private readonly journey: JourneyRepository,
  ) {}

  /**
   * The account with the verification that is to be done or was done, and the wish to have it registered. What the
   * bank refused a while ago is verified anew, as another verification.
   */
  async open(given: GivenAccount, issuer: Issuer | undefined): Promise<BankAccount> {
    return this.leases.transaction(async (manager) => {
      const account = await this.accounts.lockOrCreate(manager, given);
      if (OPEN_ACCOUNT_STATES.includes(account.state)) {
        await this.accounts.noteClaim(manager, account, given.holderName);
      } else if (isToBeAskedAgain(account)) {
        await this.accounts.reopen(manager, account, {
          state: stateAfter(ACCOUNT_TRANSITIONS, account.state, 'ASKED_AGAIN'),
          claimed: given.holderName,
          isNew: account.state !== 'ABANDONED',
        });
      } else {
        return account;
      }
      await this.want(manager, account, issuer);
      return (await this.accounts.find(account.id, manager))!;
    });
  }

  /**
   * The bank knows the holder by the name that was given: the account is verified, and the wish to have it
   * registered holds.
   * @returns the registration; undefined when no issuer is chosen
   */
  async accept(
    { id }: BankAccount,
    holder: { readonly name: string; readonly match: NameMatch },
    issuer: Issuer | undefined,
  ): Promise<BankSync | undefined> {
    return this.leases.transaction(async (manager) => {
      const account = await this.accounts.lock(manager, id);
      await this.accounts.noteClaim(manager, account, holder.name);
      if (account.state === 'MISMATCHED') {
        await this.accounts.settleNamed(manager, id, {
          state: stateAfter(ACCOUNT_TRANSITIONS, account.state, 'MATCHED'),
          nameAtBank: account.nameAtBank!,
          bankName: account.bankName!,
          match: holder.match,
        });
      }
      return this.want(manager, account, issuer);
    });
  }

  private async want(
    manager: EntityManager,
    { id, userId }: BankAccount,
    issuer: Issuer | undefined,
  ): Promise<BankSync | undefined> {
    if (!issuer) return undefined;
    const sync = await this.syncs.want(manager, id, issuer.slug);
    if (sync.state === 'DUE') {
      await this.journey.record(manager, { userId, step: 'BANK', event: 'STARTED', issuer: issuer.slug });
    }
    return sync;
  }
}

function isToBeAskedAgain({ state, isCooled }: BankAccount): boolean {
  return state === 'ABANDONED' || ((state === 'BLOCKED' || state === 'INVALID') && isCooled);
}
