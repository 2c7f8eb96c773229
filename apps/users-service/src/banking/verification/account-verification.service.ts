import { Inject, Injectable, Logger } from '@nestjs/common';
import { remainingMs } from '@fd/envelope';
import { ConsentErrors, type ErrorCode, ProviderError, reasonOf } from '@fd/errors';
import { DataSource, type EntityManager } from 'typeorm';
import {
  type DurableCall,
  DurableCalls,
  type ProviderAnswer,
  settledWith,
  stateAfter,
} from '../../core/index.js';
import { ConsentsRepository, UsersRepository } from '../../identity/index.js';
import { isWithoutEffect, orUnavailable, type ProviderList } from '../../integrations/index.js';
import { IdentitiesRepository } from '../../kyc/index.js';
import {
  type AccountResult,
  type BankAccount,
  BankAccountsRepository,
} from '../accounts/bank-accounts.repository.js';
import {
  ACCOUNT_REFUSALS,
  ACCOUNT_TRANSITIONS,
  type AccountState,
  isMismatchInReview,
  isUncompared,
  reviewOf,
} from '../accounts/bank.states.js';
import { compareHolder } from '../accounts/compare-holder.js';
import { RegistrationsRepository } from '../accounts/registrations.repository.js';
import { VERIFICATIONS } from '../bank.calls.js';
import { countMismatch, secondsUntilComparison } from './bank-limits.js';
import {
  type AccountFinding,
  type AccountToVerify,
  BANK_ACCOUNTS,
  type BankAccounts,
} from './bank-accounts.port.js';

/** `withdrawn`: the user has withdrawn a consent before the answer of a provider. */
type Finding = AccountFinding | { readonly state: 'withdrawn' };
type VerificationResult = Exclude<Finding, { state: 'processing' }>;

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
  readonly kind = VERIFICATIONS;
  readonly transitions = ACCOUNT_TRANSITIONS;
  readonly firstPollSeconds = 1;
  private readonly logger = new Logger(AccountVerification.name);

  // eslint-disable-next-line max-params -- a verification joins the account with the PAN, the consents and the providers
  constructor(
    private readonly dataSource: DataSource,
    private readonly calls: DurableCalls,
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly consents: ConsentsRepository,
    private readonly users: UsersRepository,
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
    return this.dataSource.transaction(async (tx) => {
      const locked = await this.accounts.lockWithIdentity(tx, account);
      // a parallel call may have finished first, or released the PAN
      if (!isUncompared(locked)) return locked;
      const panName = await this.panNameOf(locked, tx);
      if (panName === undefined) return locked;
      await this.compare(tx, locked, panName);
      return this.accounts.findById(account.id, tx);
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

  async lock(tx: EntityManager, account: BankAccount): Promise<BankAccount> {
    return this.accounts.lockWithUser(tx, account);
  }

  async settle(tx: EntityManager, account: BankAccount, finding: VerificationResult): Promise<void> {
    const { id, state } = account;
    if (finding.state === 'put-off') {
      return account.isOverdue ? this.giveUp(tx, id, state) : this.accounts.putOff(tx, account);
    }
    if (finding.state === 'no-result') {
      // only the next request of the user begins another one
      await this.accounts.renewKey(tx, account);
      return this.giveUp(tx, id, state);
    }
    if (finding.state === 'withdrawn') {
      const result = { state: stateAfter(ACCOUNT_TRANSITIONS, state, 'GIVEN_UP') };
      return this.write(tx, id, result, ConsentErrors.withdrawn.code);
    }
    const { bankName } = finding;
    if (finding.state !== 'valid') {
      const next = stateAfter(ACCOUNT_TRANSITIONS, state, NEGATIVE_EVENTS[finding.state]);
      return this.write(tx, id, { state: next, bankName });
    }
    // parallel calls with other accounts have used up the day's mismatches: this account is not compared
    if ((await secondsUntilComparison(tx, this.accounts.countedNumber(account))) > 0) {
      return this.write(tx, id, { state: stateAfter(ACCOUNT_TRANSITIONS, state, 'GIVEN_UP') });
    }
    const named = { ...account, nameAtBank: finding.nameAtBank, bankName };
    const isMatched = await this.compare(tx, named, await this.panNameOf(account, tx));
    if (!isMatched) await countMismatch(tx, this.accounts.countedNumber(account));
  }

  async giveUp(tx: EntityManager, id: string, state: AccountState): Promise<void> {
    this.logger.error({ msg: 'a bank verification was given up', verification_id: id });
    await this.write(tx, id, { state: stateAfter(ACCOUNT_TRANSITIONS, state, 'GIVEN_UP') });
  }

  /** Whether the provider of a verification, current or next, usually decides within a request. */
  private isInteractive({ provider }: BankAccount): boolean {
    const { inOrder } = this.providers;
    const known = provider === null ? inOrder[0] : inOrder.find(({ name }) => name === provider);
    return known?.isInteractive ?? false;
  }

  private async findingOf(account: BankAccount): Promise<Finding | undefined> {
    const { userId, state, receipt, provider: name, idempotencyKey } = account;
    // `beginAt` makes the same check when a verification begins
    const isBegun = state === 'PROCESSING' || name !== null;
    if (isBegun && !(await this.isCovered(userId))) return { state: 'withdrawn' };
    if (state === 'PROCESSING') {
      return this.providers.named(name!).outcome(toVerify(account), receipt!);
    }
    if (name === null) return this.begin(account);
    const provider = this.providers.named(name);
    const found = await provider.find(toVerify(account), idempotencyKey);
    return found ?? this.beginAt(provider, account);
  }

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
    const { userId } = account;
    if (!(await this.isCovered(userId))) return { state: 'withdrawn' };
    if (account.provider === null && (await this.users.isOnHold(userId)))
      throw new ProviderError(provider.name, 'timeout', { detail: 'the user or the partner was stopped' });
    if (!(await this.accounts.recordProvider(account, provider.name)))
      throw new ProviderError(provider.name, 'timeout', { detail: 'the lease was lost' });
    return provider.begin(toVerify(account), account.idempotencyKey);
  }

  async isCovered(userId: string): Promise<boolean> {
    return this.consents.cover(userId, 'BANK_ACCOUNT_VERIFICATION');
  }

  /** Reads the PAN's name in a transaction that has locked the identity and the account. */
  private async panNameOf({ userId }: BankAccount, tx: EntityManager): Promise<string | undefined> {
    return (await this.identities.findByUserId(userId, tx))?.fullName;
  }

  /**
   * Compares the names of a valid account, and writes the result and its effect on registrations. Names that do not match wait for
   * an operator if the user has asked for it. Returns whether they match; names that match in part do not if an operator has
   * refused the account.
   */
  private async compare(
    tx: EntityManager,
    account: BankAccount,
    panName: string | undefined,
  ): Promise<boolean> {
    const { id, userId, state: before, holder, nameAtBank, bankName } = account;
    const match = compareHolder({ claimed: holder.claimed, panName, nameAtBank })!;
    const waiting = reviewOf(match.band, account.isReviewAsked);
    const isRefused = waiting !== null && (await this.accounts.isRefused(tx, account));
    const isMatched = match.band !== 'MISMATCH' && !isRefused;
    const review = isRefused ? 'REFUSED' : waiting;
    const state = stateAfter(ACCOUNT_TRANSITIONS, before, isMatched ? 'MATCHED' : 'DIFFERED');
    const isCompared = panName !== undefined;
    await this.write(tx, id, { state, nameAtBank, bankName, match, isCompared, review });
    await this.registrations.publishVerified(tx, account, state);
    const compared = { id, state, isCompared, review } as const;
    if (!isMatched && !isMismatchInReview(compared)) return false;
    // an issuer may have it from before the user lost the former PAN
    if (!isMatched) await this.registrations.withdrawWhileWaiting(tx, id);
    await this.registrations.restartClocks(tx, compared);
    const steps = await this.registrations.verifiedSteps(tx, compared);
    await this.registrations.recordSteps(tx, userId, steps);
    await this.registrations.publishReviewStarted(tx, account, review);
    return isMatched;
  }

  /** Writes a result, and drops the registrations of an unusable account; those of names in review wait. */
  private async write(
    tx: EntityManager,
    id: string,
    { review = null, ...result }: AccountResult,
    reason: ErrorCode | undefined = ACCOUNT_REFUSALS[result.state]?.code,
  ): Promise<void> {
    const userId = await this.accounts.settle(tx, id, { review, ...result });
    if (reason && !isMismatchInReview({ review, ...result }))
      await this.registrations.dropForAccount(tx, { id, userId }, reason);
  }
}

const toVerify = ({ account, ifsc, holder }: BankAccount): AccountToVerify => ({
  account,
  ifsc,
  holderName: holder.sent,
});
