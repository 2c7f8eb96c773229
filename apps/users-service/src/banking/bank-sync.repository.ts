import { Injectable } from '@nestjs/common';
import { GeneralErrors } from '@fd/errors';
import type { EntityManager } from 'typeorm';
import type { Issuer } from '../config/index.js';
import { AuditTrail, stateAfter } from '../core/index.js';
import type { IssuerRegistrations } from '../journey/index.js';
import { IdentitiesRepository } from '../kyc/index.js';
import type { AccountRegistration, BankAccount, GivenAccount } from './accounts/bank-account.js';
import { BankAccountsRepository } from './accounts/bank-accounts.repository.js';
import { ACCOUNT_TRANSITIONS, OPEN_ACCOUNT_STATES } from './accounts/bank.states.js';
import { type BankStepChange, RegistrationsRepository } from './accounts/registrations.repository.js';
import type { NameMatch } from './name-matching/scoring.js';
import { BankChecksRepository } from './verification/bank-checks.repository.js';
import { isMismatch, matchHolder } from './verification/holder-match.js';

/** A requested verification. */
export interface VerificationRequest {
  readonly account: BankAccount;
  /** Whether the request is in the audit trail. It is recorded once for a call. */
  readonly isRecorded: boolean;
}

/** A holder's name that matches. */
export interface AcceptedHolder {
  readonly match: NameMatch;
  /** Undefined without an issuer. */
  readonly registration: AccountRegistration | undefined;
}

/**
 * Writes down what a user requests before a provider is called: a crash after that loses nothing. Locks are taken in
 * one order: user, account, registration, journey by issuer.
 */
@Injectable()
export class BankSyncRepository implements IssuerRegistrations {
  constructor(
    private readonly accounts: BankAccountsRepository,
    private readonly checks: BankChecksRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Requests the verification of an account and its registration. Returns a verification that is settled already as
   * it is, unless the bank's refusal is old enough: that account is verified again, as another verification.
   * @throws GeneralErrors.tooManyRequests when this begins a verification and the user has begun a day's number of
   * them
   */
  async requestVerification(given: GivenAccount, issuer: Issuer | undefined): Promise<VerificationRequest> {
    return this.accounts.transaction(async (manager) => {
      // locks the user, so that of parallel calls one creates the account
      const waitSeconds = await this.checks.secondsUntilNext(manager, given.userId);
      const known = await this.accounts.lockByNumber(manager, given);
      if (known && !OPEN_ACCOUNT_STATES.includes(known.state) && !isToBeAskedAgain(known))
        return { account: known, isRecorded: false };
      if (!known || isAnotherVerification(known)) {
        if (waitSeconds > 0) throw GeneralErrors.tooManyRequests({ retryAfterSeconds: waitSeconds });
        await this.checks.count(manager, given.userId);
      }
      const account = known ?? (await this.accounts.create(manager, given));
      if (known) await this.renew(manager, known, given.holderName);
      await this.recordGiven(manager, account, issuer);
      const registration = await this.requestRegistration(manager, account, issuer);
      await this.registrations.recordSteps(manager, given.userId, startedSteps(registration));
      return { account: await this.accounts.findById(account.id, manager), isRecorded: true };
    });
  }

  /** Requests the registration of an account that the user gave before choosing an issuer. */
  async registerAt(issuer: Issuer, userId: string): Promise<void> {
    const unregistered = await this.accounts.findUnregisteredId(userId);
    if (!unregistered) return;
    await this.accounts.transaction(async (manager) => {
      const account = await this.accounts.lockById(manager, unregistered);
      // a parallel call may have been faster
      if ((await this.accounts.findUnregisteredId(userId, manager)) !== unregistered) return;
      const registration = await this.requestRegistration(manager, account, issuer);
      await this.registrations.recordSteps(manager, userId, startedSteps(registration));
    });
  }

  /**
   * Accepts a holder's name that matches the bank's and, if there is one, the PAN's: the account is verified then,
   * and its registration requested.
   * @returns undefined when the name does not match; nothing has changed then
   */
  async acceptHolderName(
    { account: { id }, isRecorded }: { account: Pick<BankAccount, 'id'>; isRecorded: boolean },
    name: string,
    issuer: Issuer | undefined,
  ): Promise<AcceptedHolder | undefined> {
    return this.accounts.transaction(async (manager) => {
      const account = await this.accounts.lockById(manager, id);
      // read under the lock, so that a PAN that an earlier comparison has seen is seen here too
      const panName = (await this.identities.verified(account.userId, manager))?.fullName;
      const match = matchHolder(name, { panName, nameAtBank: account.nameAtBank! })!;
      if (isMismatch(match)) return undefined;
      await this.accounts.recordClaimedHolder(manager, account, name);
      if (!isRecorded) await this.recordGiven(manager, account, issuer);
      const completed = await this.settleMatched(manager, account, match, panName !== undefined);
      const registration = await this.requestRegistration(manager, account, issuer);
      const steps = [...completed, ...startedSteps(registration)];
      await this.registrations.recordSteps(manager, account.userId, steps);
      return { match, registration };
    });
  }

  /** Makes an account verified, and compared with the PAN, unless it is already. */
  private async settleMatched(
    manager: EntityManager,
    account: BankAccount,
    match: NameMatch,
    isCompared: boolean,
  ): Promise<BankStepChange[]> {
    if (account.state === 'VERIFIED' && account.isCompared === isCompared) return [];
    await this.accounts.settleWithName(manager, account.id, {
      state: stateAfter(ACCOUNT_TRANSITIONS, account.state, 'MATCHED'),
      nameAtBank: account.nameAtBank!,
      bankName: account.bankName!,
      match,
      isCompared,
    });
    return isCompared ? this.registrations.completedSteps(manager, account.id) : [];
  }

  private async renew(manager: EntityManager, account: BankAccount, claimed: string): Promise<void> {
    if (!isToBeAskedAgain(account)) return this.accounts.recordClaimedHolder(manager, account, claimed);
    const state = stateAfter(ACCOUNT_TRANSITIONS, account.state, 'ASKED_AGAIN');
    await this.accounts.reopen(manager, account, { state, claimed, isNew: isAnotherVerification(account) });
  }

  private async recordGiven(
    manager: EntityManager,
    { id: object, userId: subject }: BankAccount,
    issuer: Issuer | undefined,
  ): Promise<void> {
    await this.audit.record(manager, { action: 'BANK_ACCOUNT_GIVEN', subject, object, issuer: issuer?.slug });
  }

  private async requestRegistration(
    manager: EntityManager,
    { id }: BankAccount,
    issuer: Issuer | undefined,
  ): Promise<AccountRegistration | undefined> {
    return issuer && this.registrations.request(manager, id, issuer.slug);
  }
}

function startedSteps(registration: AccountRegistration | undefined): BankStepChange[] {
  return registration?.state === 'DUE' ? [{ issuer: registration.issuerSlug, event: 'STARTED' }] : [];
}

function isToBeAskedAgain(account: BankAccount): boolean {
  return account.state === 'ABANDONED' || isAnotherVerification(account);
}

/** Whether asking again is another verification: the bank has decided the one before, a while ago. */
function isAnotherVerification({ state, isCooled }: BankAccount): boolean {
  return (state === 'BLOCKED' || state === 'INVALID') && isCooled;
}
