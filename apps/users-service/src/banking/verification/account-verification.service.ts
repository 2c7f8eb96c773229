import { Inject, Injectable, Logger } from '@nestjs/common';
import { remainingMs } from '@fd/envelope';
import { ConsentErrors, type ErrorCode, ProviderError, reasonOf } from '@fd/errors';
import { type Transaction } from '@fd/platform';
import {
  type DurableCall,
  DurableCalls,
  isOnHold,
  type ProviderAnswer,
  settledWith,
  stateAfter,
} from '../../core/index.js';
import { isWithoutEffect, orUnavailable, type ProviderList } from '../../integrations/index.js';
import { IdentitiesRepository, matchWeakest } from '../../kyc/index.js';
import {
  type AccountResult,
  type BankAccount,
  BankAccountsRepository,
} from '../accounts/bank-accounts.repository.js';
import {
  ACCOUNT_REFUSALS,
  ACCOUNT_TRANSITIONS,
  type AccountState,
  isUncompared,
} from '../accounts/bank.states.js';
import { RegistrationsRepository } from '../accounts/registrations.repository.js';
import { BankLimitsRepository } from './bank-limits.repository.js';
import {
  type AccountFinding,
  type AccountToVerify,
  BANK_ACCOUNTS,
  type BankAccounts,
} from './bank-accounts.port.js';

/** `withdrawn`: the user has withdrawn a consent before the answer of a provider. */
type Finding = AccountFinding | { readonly state: 'withdrawn' };
type VerificationResult = Exclude<Finding, { state: 'processing' }>;

/** Findings of unusable accounts. */
const NEGATIVE_EVENTS = {
  frozen: 'BLOCKED',
  closed: 'BLOCKED',
  'not-usable': 'BLOCKED',
  'no-such-account': 'UNKNOWN',
} as const;

/** First half of the saga: verifies an account at the bank, and compares the names of the user, the bank and the PAN. */
@Injectable()
export class AccountVerification implements DurableCall<BankAccount, VerificationResult> {
  readonly name = 'bank';
  readonly table = 'bank_accounts';
  readonly acceptedState = 'PROCESSING';
  readonly transitions = ACCOUNT_TRANSITIONS;
  // a verification that a provider may have is completed in any case
  readonly readyWhen = `(t.state = 'PROCESSING' OR t.provider IS NOT NULL OR NOT ${isOnHold('t.user_id')})`;
  readonly firstPollSeconds = 1;
  private readonly logger = new Logger(AccountVerification.name);

  constructor(
    private readonly calls: DurableCalls,
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly limits: BankLimitsRepository,
    @Inject(BANK_ACCOUNTS) private readonly providers: ProviderList<BankAccounts>,
  ) {}

  /**
   * As `DurableCalls.bringToResult`; leaves slow providers to the worker, whose calls have no deadline.
   * @throws BankErrors.unavailable if the bank fails
   */
  async bringToResult(account: BankAccount): Promise<BankAccount> {
    if (!this.isInteractive(account)) return account;
    return orUnavailable('bank', () => this.calls.bringToResult(this, account));
  }

  /**
   * Compares an account that was verified before the PAN with the PAN's name. Until then no issuer gets the account.
   * Uses the stored name of the bank.
   * @returns the current account, unchanged if there is nothing to compare
   */
  async recheckHolderName(account: BankAccount): Promise<BankAccount> {
    if (!isUncompared(account)) return account;
    // saves the transaction in the usual case
    if (!(await this.identities.findByUserId(account.userId))) return account;
    return this.accounts.transaction(async (transaction) => {
      const locked = await this.accounts.lockWithIdentity(transaction, account);
      // a parallel call may have finished first, or released the PAN
      if (!isUncompared(locked)) return locked;
      const panName = await this.panNameOf(locked, transaction);
      if (panName === undefined) return locked;
      await this.compare(transaction, locked, panName);
      return this.accounts.findById(account.id, transaction);
    });
  }

  /**
   * For a worker: `recheckHolderName` of accounts whose users have verified a PAN since. A failure does not block the
   * others.
   */
  async recheckHolderNames(): Promise<void> {
    for (const id of await this.accounts.findUncomparedIds()) {
      try {
        await this.recheckHolderName(await this.accounts.findById(id));
      } catch (error) {
        this.logger.error({ msg: 'a holder was not compared', verification_id: id, reason: reasonOf(error) });
      }
    }
  }

  async find(id: string): Promise<BankAccount> {
    return this.accounts.findById(id);
  }

  async ask(account: BankAccount): Promise<ProviderAnswer<VerificationResult>> {
    const finding = await this.findingOf(account);
    if (!finding) return { state: 'forgotten' };
    if (finding.state === 'processing') return { state: 'accepted', receipt: finding.receipt };
    return settledWith(finding);
  }

  async lock(transaction: Transaction, account: BankAccount): Promise<BankAccount> {
    return this.accounts.lockWithUser(transaction, account);
  }

  async settle(transaction: Transaction, account: BankAccount, finding: VerificationResult): Promise<void> {
    const { id, state } = account;
    if (finding.state === 'put-off') {
      return account.isOverdue
        ? this.giveUp(transaction, id, state)
        : this.accounts.putOff(transaction, account);
    }
    if (finding.state === 'no-result') {
      // only the next request of the user begins another one
      await this.accounts.renewKey(transaction, account);
      return this.giveUp(transaction, id, state);
    }
    if (finding.state === 'withdrawn') {
      const result = { state: stateAfter(ACCOUNT_TRANSITIONS, state, 'GIVEN_UP') };
      return this.write(transaction, id, result, ConsentErrors.withdrawn.code);
    }
    const { bankName } = finding;
    if (finding.state !== 'valid') {
      const next = stateAfter(ACCOUNT_TRANSITIONS, state, NEGATIVE_EVENTS[finding.state]);
      return this.write(transaction, id, { state: next, bankName });
    }
    // parallel calls with other accounts have used up the day's mismatches: this account is not compared
    if ((await this.limits.secondsUntilComparison(transaction, account)) > 0) {
      return this.write(transaction, id, { state: stateAfter(ACCOUNT_TRANSITIONS, state, 'GIVEN_UP') });
    }
    const named = { ...account, nameAtBank: finding.nameAtBank, bankName };
    const isMatched = await this.compare(transaction, named, await this.panNameOf(account, transaction));
    if (!isMatched) await this.limits.countMismatch(transaction, account);
  }

  async giveUp(transaction: Transaction, id: string, state: AccountState): Promise<void> {
    this.logger.error({ msg: 'a bank verification was given up', verification_id: id });
    await this.write(transaction, id, { state: stateAfter(ACCOUNT_TRANSITIONS, state, 'GIVEN_UP') });
  }

  /** Whether the provider of a verification, current or next, usually decides within a request. */
  private isInteractive({ provider }: BankAccount): boolean {
    const { inOrder } = this.providers;
    const known = provider === null ? inOrder[0] : inOrder.find(({ name }) => name === provider);
    return known?.isInteractive ?? false;
  }

  private async findingOf(account: BankAccount): Promise<Finding | undefined> {
    const { state, receipt, provider: name, idempotencyKey } = account;
    // `recordProvider` makes the same check when a verification begins
    const isBegun = state === 'PROCESSING' || name !== null;
    if (isBegun && !(await this.accounts.isCovered(account))) return { state: 'withdrawn' };
    if (state === 'PROCESSING') {
      return this.providers.named(name!).outcome(toVerify(account), receipt!);
    }
    if (name === null) return this.begin(account);
    const provider = this.providers.named(name);
    const found = await provider.find(toVerify(account), idempotencyKey);
    return found ?? this.beginAt(provider, account);
  }

  /** Begins a verification at the first provider that accepts it. */
  private async begin(account: BankAccount): Promise<Finding> {
    // an interrupted call may have been paid for
    const isAsked = ({ isInteractive }: BankAccounts) => isInteractive || remainingMs() === Infinity;
    try {
      return await this.providers.begin(null, (provider) => this.beginAt(provider, account), { isAsked });
    } catch (error) {
      if (isWithoutEffect(error)) await this.accounts.forgetProvider(account);
      throw error;
    }
  }

  private async beginAt(provider: BankAccounts, account: BankAccount): Promise<Finding> {
    const recorded = await this.accounts.recordProvider(account, provider.name);
    if (recorded === 'withdrawn') return { state: recorded };
    if (recorded !== 'recorded') {
      const detail = recorded === 'on-hold' ? 'the user or the partner was stopped' : 'the lease was lost';
      throw new ProviderError(provider.name, 'timeout', { detail });
    }
    return provider.begin(toVerify(account), account.idempotencyKey);
  }

  /** Reads the PAN's name in a transaction that has locked the identity and the account. */
  private async panNameOf({ userId }: BankAccount, transaction: Transaction): Promise<string | undefined> {
    return (await this.identities.findByUserId(userId, transaction))?.fullName;
  }

  /**
   * Compares the names of a valid account, and writes the result and its effect on registrations. Returns whether they
   * match; names that match in part do not if an operator has refused the account.
   */
  private async compare(
    transaction: Transaction,
    account: BankAccount,
    panName: string | undefined,
  ): Promise<boolean> {
    const { id, userId, state: before, holder, nameAtBank, bankName } = account;
    const match = matchWeakest([holder.claimed, panName, nameAtBank])!;
    const isRefused = match.band === 'REVIEW' && (await this.accounts.isRefused(transaction, account));
    const isMatched = match.band !== 'MISMATCH' && !isRefused;
    const waiting = match.band === 'REVIEW' ? 'WAITING' : null;
    const review = isRefused ? 'REFUSED' : waiting;
    const state = stateAfter(ACCOUNT_TRANSITIONS, before, isMatched ? 'MATCHED' : 'DIFFERED');
    const isCompared = panName !== undefined;
    await this.write(transaction, id, { state, nameAtBank, bankName, match, isCompared, review });
    if (!isMatched) return false;
    const verified = { id, state, isCompared, review } as const;
    const steps = await this.registrations.verifiedSteps(transaction, verified);
    await this.registrations.recordSteps(transaction, userId, steps);
    await this.registrations.restartClocks(transaction, verified);
    return true;
  }

  /** Writes a result, and drops the registrations of an unusable account. */
  private async write(
    transaction: Transaction,
    id: string,
    result: AccountResult,
    reason: ErrorCode | undefined = ACCOUNT_REFUSALS[result.state]?.code,
  ): Promise<void> {
    const userId = await this.accounts.settle(transaction, id, result);
    if (reason) await this.registrations.dropForAccount(transaction, { id, userId }, reason);
  }
}

const toVerify = ({ account, ifsc, holder }: BankAccount): AccountToVerify => ({
  account,
  ifsc,
  holderName: holder.sent,
});
