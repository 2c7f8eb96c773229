import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type DurableCall, DurableCalls, type ProviderAnswer, stateAfter } from '../../core/index.js';
import { orUnavailable } from '../../integrations/index.js';
import { IdentitiesRepository } from '../../kyc/index.js';
import type { BankAccount } from '../accounts/bank-account.js';
import { BankAccountsRepository } from '../accounts/bank-accounts.repository.js';
import { REFUSALS } from '../accounts/bank-refusals.js';
import { ACCOUNT_TRANSITIONS, type AccountState } from '../accounts/bank.states.js';
import { RegistrationsRepository } from '../accounts/registrations.repository.js';
import { type AccountFinding, BANK_ACCOUNTS, type BankAccounts } from './bank-accounts.port.js';
import { HolderNames } from './holder-names.service.js';

/** The bank's decision, and the PAN's name as it was then. */
interface VerificationResult {
  readonly finding: Exclude<AccountFinding, { state: 'processing' }>;
  readonly panName: string | undefined;
}

/** Findings of accounts that cannot be used. */
const NEGATIVE_EVENTS = { frozen: 'BLOCKED', closed: 'BLOCKED', 'no-such-account': 'UNKNOWN' } as const;

/** First half of the saga: verifies one account at the bank. */
@Injectable()
export class AccountVerification implements DurableCall<BankAccount, VerificationResult> {
  readonly name = 'bank';
  readonly table = 'bank_accounts';
  readonly acceptedState = 'PROCESSING';
  readonly transitions = ACCOUNT_TRANSITIONS;
  readonly firstPollSeconds = 1;
  readonly isAwaitedWhenAccepted = false;
  private readonly logger = new Logger(AccountVerification.name);

  constructor(
    private readonly calls: DurableCalls,
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly holderNames: HolderNames,
    @Inject(BANK_ACCOUNTS) private readonly bank: BankAccounts,
  ) {}

  /** As `DurableCalls.bringToResult`. @throws BankErrors.unavailable when the bank failed */
  async bringToResult(account: BankAccount): Promise<BankAccount> {
    return orUnavailable('bank', () => this.calls.bringToResult(this, account));
  }

  async find(id: string): Promise<BankAccount> {
    return this.accounts.findById(id);
  }

  async ask(account: BankAccount): Promise<ProviderAnswer<VerificationResult>> {
    const finding = await this.findingOf(account);
    if (!finding) return { state: 'forgotten' };
    if (finding.state === 'processing') return { state: 'accepted', receipt: finding.receipt };
    const panName = (await this.identities.findByUserId(account.userId))?.fullName;
    return { state: 'settled', result: { finding, panName } };
  }

  async lock(manager: EntityManager, { id }: BankAccount): Promise<BankAccount> {
    return this.accounts.lockById(manager, id);
  }

  async settle(
    manager: EntityManager,
    account: BankAccount,
    { finding, panName }: VerificationResult,
  ): Promise<void> {
    if (finding.state !== 'valid') {
      const state = stateAfter(ACCOUNT_TRANSITIONS, account.state, NEGATIVE_EVENTS[finding.state]);
      return this.refuse(manager, account.id, state, finding.bankName);
    }
    const event = await this.holderNames.settle(manager, account, { ...finding, panName });
    if (event === 'MATCHED') await this.registrations.restartClocks(manager, account.id);
  }

  async giveUp(manager: EntityManager, id: string, state: AccountState): Promise<void> {
    this.logger.error({ msg: 'a bank verification was given up', verification_id: id });
    await this.refuse(manager, id, stateAfter(ACCOUNT_TRANSITIONS, state, 'GIVEN_UP'), null);
  }

  private async findingOf(account: BankAccount): Promise<AccountFinding | undefined> {
    if (account.state === 'PROCESSING') return this.bank.outcome(account.receipt!);
    const { account: number, ifsc, holder, idempotencyKey } = account;
    return this.bank.verify({ account: number, ifsc, holderName: holder.sent }, idempotencyKey);
  }

  private async refuse(
    manager: EntityManager,
    id: string,
    state: AccountState,
    bankName: string | null,
  ): Promise<void> {
    const userId = await this.accounts.settleWithoutName(manager, id, { state, bankName });
    await this.registrations.dropForAccount(
      manager,
      { id, userId },
      REFUSALS[state as keyof typeof REFUSALS].code,
    );
  }
}
