import { Injectable } from '@nestjs/common';
import { GeneralErrors } from '@fd/errors';
import type { EntityManager } from 'typeorm';
import { AuditTrail, isRecorded } from '../../core/index.js';
import type { Issuer } from '../../config/index.js';
import type { NameMatch } from '../name-matching/index.js';
import { IdentitiesRepository } from '../../kyc/index.js';
import type { BankAccount, BankSync, GivenAccount } from './bank-account.js';
import { BankAccountsRepository } from './bank-accounts.repository.js';
import { BankChecksRepository } from './bank-checks.repository.js';
import { BankLeases } from './bank-leases.repository.js';
import { BankSteps, type BankStepChange } from './bank-steps.service.js';
import { BankSyncsRepository } from './bank-syncs.repository.js';
import { ACCOUNT_TRANSITIONS, OPEN_ACCOUNT_STATES, stateAfter } from './bank.states.js';
import { isMismatch, matchHolder } from './holder-match.js';

/** What became of a name that fits. */
export interface AcceptedHolder {
  readonly match: NameMatch;
  /** Undefined when no issuer is chosen. */
  readonly sync: BankSync | undefined;
}

/**
 * Writes down what a user wants before anything is done about it: a crash after that loses nothing. Locks are
 * taken in one order: user, account, registration, journey by issuer.
 */
@Injectable()
export class BankIntake {
  constructor(
    private readonly leases: BankLeases,
    private readonly accounts: BankAccountsRepository,
    private readonly checks: BankChecksRepository,
    private readonly syncs: BankSyncsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly steps: BankSteps,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * The account with the verification that is to be done or was done, and the wish to have it registered. What the
   * bank refused a while ago is verified anew, as another verification.
   * @throws GeneralErrors.tooManyRequests when it takes a verification and the user has begun as many as a day has
   */
  async open(given: GivenAccount, issuer: Issuer | undefined): Promise<BankAccount> {
    return this.leases.transaction(async (manager) => {
      // takes the lock behind which the look for the account has to be
      const waitSeconds = await this.checks.secondsUntilNext(manager, given.userId);
      const known = await this.accounts.lockGiven(manager, given);
      if (known && !OPEN_ACCOUNT_STATES.includes(known.state) && !isToBeAskedAgain(known)) return known;
      if (!known || isAnother(known)) {
        if (waitSeconds > 0) throw GeneralErrors.tooManyRequests({ retryAfterSeconds: waitSeconds });
        await this.checks.count(manager, given.userId);
      }
      const account = known ?? (await this.accounts.create(manager, given));
      if (known) await this.renew(manager, known, given.holderName);
      await this.tell(manager, account, issuer);
      await this.steps.record(manager, given.userId, begun(await this.want(manager, account, issuer)));
      return (await this.accounts.find(account.id, manager))!;
    });
  }

  /** The user goes on with an issuer: an account that was given without any is to be registered there. */
  async registerAtChosen(userId: string, issuer: Issuer): Promise<void> {
    const unclaimed = await this.accounts.unclaimedOf(userId);
    if (!unclaimed) return;
    await this.leases.transaction(async (manager) => {
      const account = await this.accounts.lock(manager, unclaimed);
      // somebody else's call may have been faster
      if ((await this.accounts.unclaimedOf(userId, manager)) !== unclaimed) return;
      await this.steps.record(manager, userId, begun(await this.want(manager, account, issuer)));
    });
  }

  /**
   * Whether a name is the holder's, by the bank and by the PAN if there is one. Then the account is verified, and the
   * wish to have it registered holds.
   * @returns undefined when it is somebody else's; nothing has changed then
   */
  async accept(
    { id }: Pick<BankAccount, 'id'>,
    name: string,
    issuer: Issuer | undefined,
  ): Promise<AcceptedHolder | undefined> {
    return this.leases.transaction(async (manager) => {
      const account = await this.accounts.lock(manager, id);
      // looked for behind the lock: whoever compared with the PAN before has seen it, and so is it here
      const panName = (await this.identities.verified(account.userId, manager))?.fullName;
      const match = matchHolder(name, { panName, nameAtBank: account.nameAtBank! })!;
      if (isMismatch(match)) return undefined;
      await this.accounts.noteClaim(manager, account, name);
      await this.tell(manager, account, issuer);
      const settled = await this.settle(manager, account, match, panName !== undefined);
      const sync = await this.want(manager, account, issuer);
      await this.steps.record(manager, account.userId, [...settled, ...begun(sync)]);
      return { match, sync };
    });
  }

  /** Makes an account verified, or compared, that is not yet. */
  private async settle(
    manager: EntityManager,
    account: BankAccount,
    match: NameMatch,
    isCompared: boolean,
  ): Promise<BankStepChange[]> {
    if (account.state === 'VERIFIED' && account.isCompared === isCompared) return [];
    await this.accounts.settleNamed(manager, account.id, {
      state: stateAfter(ACCOUNT_TRANSITIONS, account.state, 'MATCHED'),
      nameAtBank: account.nameAtBank!,
      bankName: account.bankName!,
      match,
      isCompared,
    });
    return isCompared ? this.steps.completed(manager, account.id) : [];
  }

  private async renew(manager: EntityManager, account: BankAccount, claimed: string): Promise<void> {
    if (!isToBeAskedAgain(account)) return this.accounts.noteClaim(manager, account, claimed);
    const state = stateAfter(ACCOUNT_TRANSITIONS, account.state, 'ASKED_AGAIN');
    await this.accounts.reopen(manager, account, { state, claimed, isNew: isAnother(account) });
  }

  /** Once for a call, which may open an account and accept its holder. */
  private async tell(
    manager: EntityManager,
    { id, userId }: BankAccount,
    issuer: Issuer | undefined,
  ): Promise<void> {
    if (isRecorded('BANK_ACCOUNT_GIVEN')) return;
    const told = { action: 'BANK_ACCOUNT_GIVEN', subject: userId, object: id, issuer: issuer?.slug } as const;
    await this.audit.record(manager, told);
  }

  private async want(
    manager: EntityManager,
    { id }: BankAccount,
    issuer: Issuer | undefined,
  ): Promise<BankSync | undefined> {
    return issuer && this.syncs.want(manager, id, issuer.slug);
  }
}

function begun(sync: BankSync | undefined): BankStepChange[] {
  return sync?.state === 'DUE' ? [{ issuer: sync.issuerSlug, event: 'STARTED' }] : [];
}

function isToBeAskedAgain(account: BankAccount): boolean {
  return account.state === 'ABANDONED' || isAnother(account);
}

/** Whether asking again is another verification: the bank has decided the one before, a while ago. */
function isAnother({ state, isCooled }: BankAccount): boolean {
  return (state === 'BLOCKED' || state === 'INVALID') && isCooled;
}
