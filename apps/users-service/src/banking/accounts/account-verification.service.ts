import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { remainingMs } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import type { EntityManager } from 'typeorm';
import { IdentitiesRepository } from '../../kyc/index.js';
import { orUnavailable, UNAVAILABLE_ERRORS } from '../../integrations/index.js';
import { BANK_ACCOUNTS, type AccountFinding, type BankAccounts } from './bank-accounts.port.js';
import { BankAccountsRepository } from './bank-accounts.repository.js';
import type { BankAccount, BankAccountState } from './bank-account.js';
import { BankLeases, type Lease } from './bank-leases.repository.js';
import { BankSteps } from './bank-steps.service.js';
import { BankSyncsRepository } from './bank-syncs.repository.js';
import { LOOK_AGAIN_MS, MIN_CALL_MS, pollSeconds, retrySeconds } from './bank.policy.js';
import { ACCOUNT_TRANSITIONS, type AccountEvent, OPEN_ACCOUNT_STATES, stateAfter } from './bank.states.js';
import { REFUSALS } from './bank-outcome.js';
import { isMismatch, matchHolder } from './holder-match.js';

/** A finding by which the account cannot be used. */
const NEGATIVE_EVENTS = { frozen: 'BLOCKED', closed: 'BLOCKED', 'no-such-account': 'UNKNOWN' } as const;

/**
 * First half of the saga: one account is verified at the bank. Each step is leased, done outside of transactions
 * and written down in one, so that whoever comes after a crash repeats at most one call, with the same key.
 */
@Injectable()
export class AccountVerification {
  private readonly logger = new Logger(AccountVerification.name);

  constructor(
    private readonly leases: BankLeases,
    private readonly accounts: BankAccountsRepository,
    private readonly syncs: BankSyncsRepository,
    private readonly steps: BankSteps,
    private readonly identities: IdentitiesRepository,
    @Inject(BANK_ACCOUNTS) private readonly bank: BankAccounts,
  ) {}

  /**
   * Brings an account to its result, for a call: by asking the bank, or by waiting for whoever is asking it.
   * @returns the account as it is at the end; still open when there is no time left or the bank is at work
   * @throws BankErrors.unavailable when the bank failed, whoever asked it
   */
  async settle({ id, tries }: BankAccount): Promise<BankAccount> {
    for (;;) {
      const account = (await this.accounts.find(id))!;
      if (!OPEN_ACCOUNT_STATES.includes(account.state) || remainingMs() < MIN_CALL_MS) return account;
      // somebody else's try failed while we waited for it
      if (account.state === 'DUE' && account.tries > tries) throw UNAVAILABLE_ERRORS.bank();
      const lease = await this.leases.claim('bank_accounts', id);
      if (lease) {
        await orUnavailable('bank', () => this.advance(lease));
        return (await this.accounts.find(id))!;
      }
      if (account.state === 'PROCESSING' && !account.isLeased) return account;
      await sleep(LOOK_AGAIN_MS);
    }
  }

  /**
   * One step of a leased account: a question to the bank, and what becomes of the answer.
   * @throws ProviderError the account has been put back, to be tried again
   */
  async advance(lease: Lease): Promise<void> {
    const account = (await this.accounts.find(lease.id))!;
    let finding: AccountFinding | undefined;
    try {
      finding = await this.ask(account);
    } catch (error) {
      if (error instanceof ProviderError)
        await this.putOff(lease, retrySeconds(account.tries, Math.random()));
      throw error;
    }
    const identity = await this.identities.of(account.userId);
    await this.leases.transaction(async (manager) => {
      const leased = await this.accounts.lockLeased(manager, lease);
      // whoever has the lease now has asked with the same key and writes the same
      if (leased) await this.write(manager, leased, finding, identity?.fullName);
    });
  }

  private async ask({ state, receipt, ...account }: BankAccount): Promise<AccountFinding | undefined> {
    if (state === 'PROCESSING') return this.bank.outcome(receipt!);
    const { account: number, ifsc, holder, idempotencyKey } = account;
    return this.bank.verify({ account: number, ifsc, holderName: holder.sent }, idempotencyKey);
  }

  private async write(
    manager: EntityManager,
    account: BankAccount,
    finding: AccountFinding | undefined,
    panName: string | undefined,
  ): Promise<void> {
    if (finding === undefined || finding.state === 'processing') {
      return this.keepOpen(manager, account, finding?.receipt);
    }
    if (finding.state === 'valid') {
      const { nameAtBank, bankName } = finding;
      const match = matchHolder(account.holder.claimed, { panName, nameAtBank })!;
      const event = isMismatch(match) ? 'DIFFERED' : 'MATCHED';
      const state = stateAfter(ACCOUNT_TRANSITIONS, account.state, event);
      const isCompared = panName !== undefined;
      await this.accounts.settleNamed(manager, account.id, {
        state,
        nameAtBank,
        bankName,
        match,
        isCompared,
      });
      if (event === 'DIFFERED') return this.steps.drop(manager, account, REFUSALS.MISMATCHED.code);
      return this.syncs.startClocks(manager, account.id);
    }
    await this.end(manager, account, NEGATIVE_EVENTS[finding.state], finding.bankName);
  }

  /** The bank has taken the verification; or it has forgotten one that it had, and is asked anew. */
  private async keepOpen(
    manager: EntityManager,
    account: BankAccount,
    receipt: string | undefined,
  ): Promise<void> {
    if (account.isOverdue) return this.giveUp(manager, account);
    const isPoll = account.state === 'PROCESSING' && receipt !== undefined;
    const tries = isPoll ? account.tries + 1 : 0;
    await this.accounts.keepOpen(manager, account.id, {
      state: stateAfter(ACCOUNT_TRANSITIONS, account.state, receipt === undefined ? 'LOST' : 'TAKEN'),
      receipt: receipt ?? null,
      tries,
      seconds: pollSeconds('bank', tries, Math.random()),
    });
  }

  /** Gives an account back after a failure, to be tried again later, or gives it up when that went on for a day. */
  async putOff(lease: Lease, seconds: number): Promise<void> {
    const isOverdue = await this.leases.postpone(lease, seconds);
    if (!isOverdue) return;
    await this.leases.transaction(async (manager) => {
      // what fails may be the reading of it
      const account = await this.accounts.lockState(manager, lease.id);
      const isStillOurs = OPEN_ACCOUNT_STATES.includes(account.state) && !account.isLeased;
      if (isStillOurs && account.isOverdue) await this.giveUp(manager, account);
    });
  }

  private async giveUp(manager: EntityManager, account: BankAccountState): Promise<void> {
    this.logger.error({ msg: 'a bank verification was given up', verification_id: account.id });
    await this.end(manager, account, 'GIVEN_UP', null);
  }

  private async end(
    manager: EntityManager,
    account: BankAccountState,
    event: Extract<AccountEvent, 'BLOCKED' | 'UNKNOWN' | 'GIVEN_UP'>,
    bankName: string | null,
  ): Promise<void> {
    const state = stateAfter(ACCOUNT_TRANSITIONS, account.state, event);
    await this.accounts.settle(manager, account.id, { state, bankName });
    await this.steps.drop(manager, account, REFUSALS[state as keyof typeof REFUSALS].code);
  }
}
