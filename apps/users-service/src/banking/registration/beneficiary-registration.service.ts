import { Injectable, Logger } from '@nestjs/common';
import { ProviderError } from '@fd/errors';
import type { EntityManager } from 'typeorm';
import { type DurableCall, DurableCalls, type ProviderAnswer, stateAfter } from '../../core/index.js';
import { IssuerApis, IssuerDirectory, orUnavailable, type Registration } from '../../integrations/index.js';
import type { AccountRegistration, BankAccount } from '../accounts/bank-account.js';
import { BankAccountsRepository } from '../accounts/bank-accounts.repository.js';
import { REGISTRATION_REFUSALS } from '../accounts/bank-refusals.js';
import { REGISTRATION_TRANSITIONS, type RegistrationEvent } from '../accounts/bank.states.js';
import { type BankStepChange, RegistrationsRepository } from '../accounts/registrations.repository.js';
import { HolderNames } from '../verification/holder-names.service.js';

type RegistrationResult = Exclude<Registration, { state: 'accepted' }>;

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
  readonly table = 'bank_syncs';
  readonly acceptedState = 'ACCEPTED';
  readonly transitions = REGISTRATION_TRANSITIONS;
  // an accepted registration is followed to its end, whatever happens to the account
  readonly readyWhen = `(t.state = 'ACCEPTED' OR EXISTS (
    SELECT 1 FROM onboarding.bank_accounts a WHERE a.id = t.account_id AND a.state = 'VERIFIED'))`;
  // an issuer's core system hardly takes any time
  readonly firstPollSeconds = 0.15;
  readonly isAwaitedWhenAccepted = true;
  private readonly logger = new Logger(BeneficiaryRegistration.name);

  constructor(
    private readonly calls: DurableCalls,
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly holderNames: HolderNames,
    private readonly issuers: IssuerDirectory,
    private readonly apis: IssuerApis,
  ) {}

  /** As `DurableCalls.bringToResult`. @throws IssuerErrors.unavailable when the issuer failed */
  async bringToResult(registration: AccountRegistration): Promise<AccountRegistration> {
    return orUnavailable('issuer', () => this.calls.bringToResult(this, registration));
  }

  async find(id: string): Promise<AccountRegistration> {
    return this.registrations.findById(id);
  }

  async ask(registration: AccountRegistration): Promise<ProviderAnswer<RegistrationResult> | undefined> {
    const { accountId, issuerSlug, state, receipt, idempotencyKey } = registration;
    const found = await this.accounts.findById(accountId);
    // an account that is known to belong to another person is not sent
    const account = await this.holderNames.recheckHolderName(found);
    if (state === 'DUE' && account.state !== 'VERIFIED') return undefined;
    const api = this.apis.of(this.issuers.bySlug(issuerSlug));
    if (state === 'ACCEPTED') {
      return api.registrationOutcome(receipt!).then(answerOf, (error: unknown) => {
        if (error instanceof ProviderError && error.failure === 'refused') return { state: 'forgotten' };
        throw error;
      });
    }
    const beneficiary = {
      // as the bank writes it: payments are made to this name, and it is the same for every try
      holderName: account.nameAtBank!,
      account: account.account,
      ifsc: account.ifsc,
      customerReference: account.userId,
    };
    return answerOf(await api.registerBeneficiary(beneficiary, idempotencyKey));
  }

  async lock(manager: EntityManager, { id, accountId }: AccountRegistration): Promise<LockedRegistration> {
    const account = await this.accounts.lockById(manager, accountId);
    return { ...(await this.registrations.lockById(manager, id)), account };
  }

  async settle(
    manager: EntityManager,
    registration: LockedRegistration,
    result: RegistrationResult,
  ): Promise<void> {
    const isVerified = registration.account.state === 'VERIFIED';
    if (result.state === 'registered') {
      const { reference } = result;
      // otherwise the step is completed when the account is compared with the PAN
      const isDone = isVerified && registration.account.isCompared;
      return this.end(manager, registration, 'REGISTERED', {
        reference,
        step: isDone && { event: 'COMPLETED' },
      });
    }
    const step = { event: 'FAILED', reason: REGISTRATION_REFUSALS.INVALID.code } as const;
    // an account of another person has failed the step already, for a better reason
    await this.end(manager, registration, 'REFUSED', { step: isVerified && step });
  }

  /** An account that turned out to belong to another person is not sent again. */
  async settleForgotten(manager: EntityManager, registration: LockedRegistration): Promise<boolean> {
    if (registration.account.state === 'VERIFIED') return false;
    await this.end(manager, registration, 'DROPPED');
    return true;
  }

  async giveUp(manager: EntityManager, id: string): Promise<void> {
    const registration = await this.registrations.lockById(manager, id);
    const { accountId: verification_id, issuerSlug: issuer } = registration;
    this.logger.error({ msg: 'a registration at an issuer was given up', verification_id, issuer });
    const step = { event: 'FAILED', reason: REGISTRATION_REFUSALS.ABANDONED.code } as const;
    await this.end(manager, registration, 'GIVEN_UP', { step });
  }

  private async end(
    manager: EntityManager,
    { id, state, userId, issuerSlug: issuer }: AccountRegistration,
    event: RegistrationEvent,
    { reference, step }: { reference?: string; step?: false | Omit<BankStepChange, 'issuer'> } = {},
  ): Promise<void> {
    const next = stateAfter(REGISTRATION_TRANSITIONS, state, event);
    await this.registrations.settle(manager, id, { state: next, reference: reference ?? null });
    if (step) await this.registrations.recordSteps(manager, userId, [{ issuer, ...step }]);
  }
}

function answerOf(registration: Registration): ProviderAnswer<RegistrationResult> {
  return registration.state === 'accepted' ? registration : { state: 'settled', result: registration };
}
