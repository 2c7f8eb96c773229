import { Injectable, Logger } from '@nestjs/common';
import { ConsentErrors, ProviderError } from '@fd/errors';
import { DataSource, type EntityManager } from 'typeorm';
import { type DurableCall, DurableCalls, type ProviderAnswer, settledWith } from '../../core/index.js';
import { ConsentsRepository, UsersRepository } from '../../identity/index.js';
import { ExistingCustomersRepository } from '../../kyc/index.js';
import { IssuerApis, isWithoutEffect, orUnavailable, type Registration } from '../../integrations/index.js';
import { IssuerDirectory } from '../../journey/index.js';
import { type BankAccount, BankAccountsRepository } from '../accounts/bank-accounts.repository.js';
import {
  isMismatchInReview,
  isRegistrable,
  isUncompared,
  REGISTRATION_TRANSITIONS,
} from '../accounts/bank.states.js';
import { type AccountRegistration, RegistrationsRepository } from '../accounts/registrations.repository.js';
import { REGISTRATIONS } from '../bank.calls.js';
import { AccountVerification } from '../verification/account-verification.service.js';

/**
 * `withdrawn`: the user has withdrawn a consent before it was sent. `in-doubt`: another person's account may have reached
 * an issuer that cannot remove it.
 */
type RegistrationResult =
  Exclude<Registration, { state: 'accepted' }> | { readonly state: 'withdrawn' | 'in-doubt' };

interface LockedRegistration extends AccountRegistration {
  readonly account: BankAccount;
}

/** Second half of the saga: registers a verified account at an issuer. */
@Injectable()
export class BeneficiaryRegistration implements DurableCall<
  AccountRegistration,
  RegistrationResult,
  LockedRegistration
> {
  readonly name = 'bank';
  readonly kind = REGISTRATIONS;
  readonly transitions = REGISTRATION_TRANSITIONS;
  // issuers decide within seconds
  readonly firstPollSeconds = 0.15;
  readonly isAwaitedWhenAccepted = true;
  private readonly logger = new Logger(BeneficiaryRegistration.name);

  // eslint-disable-next-line max-params -- a registration joins three records with the verification and the API of the issuer
  constructor(
    private readonly dataSource: DataSource,
    private readonly calls: DurableCalls,
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly verification: AccountVerification,
    private readonly issuers: IssuerDirectory,
    private readonly apis: IssuerApis,
    private readonly customers: ExistingCustomersRepository,
    private readonly consents: ConsentsRepository,
    private readonly users: UsersRepository,
  ) {}

  /**
   * As `DurableCalls.bringToResult`; leaves an API with slow registrations to the worker.
   * @throws IssuerErrors.unavailable if the issuer fails
   */
  async bringToResult(registration: AccountRegistration): Promise<AccountRegistration> {
    const { registersInBackground } = this.apis.forIssuer(this.issuers.bySlug(registration.issuerSlug));
    if (registersInBackground) return registration;
    return orUnavailable('issuer', () => this.calls.bringToResult(this, registration));
  }

  async find(id: string): Promise<AccountRegistration> {
    return this.registrations.findById(id);
  }

  async ask(registration: AccountRegistration): Promise<ProviderAnswer<RegistrationResult> | undefined> {
    const { userId, accountId, issuerSlug, state, receipt, idempotencyKey, isBeingWithdrawn, isSent } =
      registration;
    // sent only when the names of the user, the bank and the PAN match
    const account = await this.verification.recheckHolderName(await this.accounts.findById(accountId));
    const isInDoubt = isSent && isAnotherPersons(account);
    if (state === 'DUE' && !isRegistrable(account) && !isInDoubt) {
      await this.parkUnlessReady(registration);
      return undefined;
    }
    if (state === 'DUE' && isBeingWithdrawn) return undefined;
    // a registration that was sent is completed, because the issuer may have it
    if (state === 'DUE' && !isSent) {
      if (!(await this.isCovered(userId))) return settledWith({ state: 'withdrawn' });
      if (await this.users.isOnHold(userId)) return undefined;
    }
    const api = this.apis.forIssuer(this.issuers.bySlug(issuerSlug));
    if (state === 'ACCEPTED') {
      return api.registrationOutcome(receipt!).then(answerOf, (error: unknown) => {
        if (error instanceof ProviderError && error.failure === 'refused') return { state: 'forgotten' };
        throw error;
      });
    }
    // a repeat would only reveal the outcome; an issuer that cannot remove accounts might register it then
    if (isInDoubt && !api.withdrawBeneficiary) return settledWith({ state: 'in-doubt' });
    const customerId = await this.customers.customerIdOf(account.userId, issuerSlug);
    const beneficiary = {
      // the bank's spelling: payments go to this name, and every try sends the same one
      holderName: account.nameAtBank!,
      account: account.account,
      ifsc: account.ifsc,
      customerReference: account.userId,
      ...(customerId === undefined ? {} : { customerId }),
    };
    if (!(await this.registrations.recordSent(registration))) return undefined;
    try {
      return answerOf(await api.registerBeneficiary(beneficiary, idempotencyKey));
    } catch (error) {
      if (!isSent && isWithoutEffect(error)) await this.registrations.forgetSent(registration);
      throw error;
    }
  }

  /** Whether the consents of the user cover a registration. */
  async isCovered(userId: string): Promise<boolean> {
    return this.consents.cover(userId, 'BANK_ACCOUNT_VERIFICATION', 'ISSUER_SHARING');
  }

  private async parkUnlessReady({ id, accountId }: AccountRegistration): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const account = await this.accounts.lockById(tx, accountId);
      if (!isRegistrable(account)) await this.registrations.park(tx, id);
    });
  }

  async lock(tx: EntityManager, { id, accountId }: AccountRegistration): Promise<LockedRegistration> {
    const account = await this.accounts.lockById(tx, accountId);
    return { ...(await this.registrations.lockById(tx, id)), account };
  }

  async settle(
    tx: EntityManager,
    registration: LockedRegistration,
    result: RegistrationResult,
  ): Promise<void> {
    const { account } = registration;
    if (result.state === 'withdrawn') {
      const { code: refusal } = ConsentErrors.withdrawn;
      return this.registrations.settle(tx, registration, 'DROPPED', { settlesStep: true, refusal });
    }
    if (result.state === 'in-doubt') {
      // the user has given a matching name or PAN meanwhile: it is sent again when the lease expires
      if (!isAnotherPersons(account)) return;
      const { accountId: verification_id, issuerSlug: issuer } = registration;
      this.logger.warn({ msg: 'an issuer may keep an account of another person', verification_id, issuer });
      return this.registrations.settle(tx, registration, 'DROPPED', { settlesStep: false });
    }
    if (result.state !== 'registered') {
      // another person's account has already failed the step, with a more specific reason
      const settlesStep = account.state === 'VERIFIED';
      return this.registrations.settle(tx, registration, 'REFUSED', { settlesStep });
    }
    const { reference } = result;
    // otherwise the comparison with the PAN, or the review, completes the step
    const settlesStep = isRegistrable(account);
    await this.registrations.settle(tx, registration, 'REGISTERED', { reference, settlesStep });
    if (isMismatchInReview(account)) await this.registrations.withdrawWhileWaiting(tx, account.id);
    else if (account.state === 'MISMATCHED') await this.registrations.withdraw(tx, account.id);
  }

  /** Another person's account is not sent again, and that of names in review not before the decision. */
  async settleForgotten(tx: EntityManager, registration: LockedRegistration): Promise<boolean> {
    const { account } = registration;
    if (isRegistrable(account)) return false;
    // otherwise a later refusal would send it again, to find out what became of it
    await this.registrations.forgetSent(registration, tx);
    if (!isAnotherPersons(account)) return false;
    await this.registrations.settle(tx, registration, 'DROPPED', { settlesStep: false });
    return true;
  }

  async giveUp(tx: EntityManager, id: string): Promise<void> {
    const registration = await this.registrations.lockById(tx, id);
    const { accountId: verification_id, issuerSlug: issuer } = registration;
    this.logger.error({ msg: 'a registration at an issuer was given up', verification_id, issuer });
    // another person's account has already failed the step
    const settlesStep = registration.isVerified;
    await this.registrations.settle(tx, registration, 'GIVEN_UP', { settlesStep });
  }
}

/**
 * Whether the account is perhaps not the user's: its holder's name differs, or the PAN that named the holder is lost. Undecided, so
 * false, while an operator looks at names that differ.
 */
const isAnotherPersons = (account: BankAccount): boolean =>
  (account.state !== 'VERIFIED' && !isMismatchInReview(account)) || isUncompared(account);

function answerOf(registration: Registration): ProviderAnswer<RegistrationResult> {
  return registration.state === 'accepted' ? registration : settledWith(registration);
}
