import { Injectable } from '@nestjs/common';
import { type AppError, BankErrors, ConsentErrors, GeneralErrors } from '@fd/errors';
import { DataSource } from 'typeorm';
import { validate as isUuid } from 'uuid';
import type { Issuer } from '../config/index.js';
import { IdempotentCalls, partnerOfCaller, type SessionIdentity } from '../core/index.js';
import { ConsentsRepository } from '../identity/index.js';
import { IssuerDirectory } from '../journey/index.js';
import { IdentitiesRepository, type NameMatch } from '../kyc/index.js';
import { type BankAccount, BankAccountsRepository } from './accounts/bank-accounts.repository.js';
import { AccountRequests, isSameText } from './account-requests.service.js';
import { holderDiffers, isRegistrable, OPEN_ACCOUNT_STATES, refusalOf } from './accounts/bank.states.js';
import { BeneficiaryRegistration } from './registration/beneficiary-registration.service.js';
import { compareHolder } from './accounts/compare-holder.js';
import { type AccountRegistration, RegistrationsRepository } from './accounts/registrations.repository.js';
import { AccountVerification } from './verification/account-verification.service.js';

export interface GivenAccount {
  readonly account: string;
  readonly ifsc: string;
  /** Undefined means the holder of the PAN. */
  readonly holderName: string | undefined;
  /** Whether an operator is to look at names that differ, instead of a refusal. */
  readonly isReviewAsked: boolean;
}

export interface VerificationStatus {
  readonly account: BankAccount;
  /** Result of the comparison of the given names; null until the bank has answered. */
  readonly match: NameMatch | null;
  readonly issuer: Issuer | undefined;
  readonly registration: AccountRegistration | undefined;
}

/** Verifies an account and registers it at an issuer, as far as possible within a request. */
@Injectable()
export class BankSyncService {
  // eslint-disable-next-line max-params -- a call joins the person, the consents and both halves of the saga
  constructor(
    private readonly dataSource: DataSource,
    private readonly calls: IdempotentCalls,
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly issuers: IssuerDirectory,
    private readonly identities: IdentitiesRepository,
    private readonly consents: ConsentsRepository,
    private readonly requests: AccountRequests,
    private readonly verification: AccountVerification,
    private readonly registration: BeneficiaryRegistration,
  ) {}

  /**
   * @returns the status; the worker continues an open call
   * @throws ConsentErrors.withdrawn; BankErrors.fieldMissing no name at all; BankErrors.holderDiffers another name, unless a review
   * was asked for; BankErrors.accountBlocked, GeneralErrors.fieldInvalid the account is unusable; BankErrors.beneficiaryInvalid
   * the issuer refuses it; BankErrors.unavailable, IssuerErrors.unavailable a provider is down; GeneralErrors.tooManyRequests too
   * many verifications, or names that did not match, in a day
   */
  async sync(
    session: SessionIdentity,
    { account: number, ifsc, holderName, isReviewAsked }: GivenAccount,
    issuer: Issuer | undefined,
  ): Promise<VerificationStatus> {
    const { userId } = session;
    await this.consents.requireInForce(session, 'BANK_ACCOUNT_VERIFICATION', 'ISSUER_SHARING');
    const identity = await this.identities.findByUserId(userId);
    const panName = identity?.fullName;
    const name = holderName ?? panName;
    if (name === undefined)
      throw BankErrors.fieldMissing({
        field: 'account_holder_full_name',
        hint: 'Also enter the name of the account holder.',
      });
    const given = { userId, account: number, ifsc, holderName: name, isReviewAsked };
    // with another PAN, or in another app, it is another try
    const attempt = JSON.stringify([
      ...[number, ifsc, name, issuer?.slug],
      ...[identity?.verificationId, partnerOfCaller(userId)],
    ]);
    const isMismatch = compareHolder({ claimed: name, panName, nameAtBank: null })?.band === 'MISMATCH';
    if (isMismatch && !isReviewAsked) {
      const known = await this.requests.findKnown(given);
      if (!known?.isReviewAsked) {
        // otherwise the worker would publish the same refusal once more
        if (known) await this.verification.recheckHolderName(known);
        // refused without a call to the bank
        return this.refuse(userId, issuer, holderDiffers(), known ? undefined : attempt);
      }
    }

    const request = await this.requests.requestVerification(given, issuer);
    const account = await this.verification.bringToResult(request.account);
    if (OPEN_ACCOUNT_STATES.includes(account.state)) {
      return { account, match: null, issuer, registration: undefined };
    }
    if (account.state === 'ABANDONED') await this.requests.requireComparisonOf(account);
    if (account.nameAtBank === null) {
      const refusal = refusalOf(account, undefined)!;
      // by the end of the verification
      if (request.isRecorded) throw refusal;
      return this.refuse(userId, issuer, refusal);
    }
    // parallel calls with different names each get the result for their own name
    const accepted = await this.requests.acceptHolderName(request, name, issuer, isReviewAsked);
    if (!accepted) {
      await this.verification.recheckHolderName(account);
      const refusal = holderDiffers(!isReviewAsked && account.review !== 'REFUSED');
      const isKnown = isSameText(account.holder.claimed, name);
      if (isKnown && request.isRecorded) throw refusal;
      return this.refuse(userId, issuer, refusal, isKnown ? undefined : attempt);
    }
    const { account: verified, match, registration: requested } = accepted;
    const registration =
      requested && isRegistrable(verified) && !requested.isBeingWithdrawn
        ? await this.registration.bringToResult(requested)
        : requested;
    // a consent was withdrawn meanwhile, or a PAN with another name was verified
    if (registration?.state === 'DROPPED')
      throw (await this.registration.isCovered(userId)) ? holderDiffers() : ConsentErrors.withdrawn();
    const refusal = refusalOf(verified, registration);
    if (refusal) throw refusal;
    return { account: verified, match, issuer, registration };
  }

  /**
   * Reads the status of a verification without a call to a provider; compares stored names if needed.
   * @param named selects the registration; without one the latest
   * @throws AppError the refusal of the call that requested it; GeneralErrors.recordUnknown for an id that is not the
   * user's; ConsentErrors.withdrawn
   */
  async read(userId: string, id: string, named: Issuer | undefined): Promise<VerificationStatus> {
    const found = isUuid(id) ? await this.accounts.findByUserAndId(userId, id) : undefined;
    if (!found) throw GeneralErrors.recordUnknown();
    const account = await this.verification.recheckHolderName(found);
    const registration = await this.registrations.findByAccount(id, named?.slug);
    // ended by a withdrawal, not by the bank or the issuer
    const isWithdrawn =
      account.state === 'ABANDONED'
        ? !(await this.verification.isCovered(userId))
        : registration?.state === 'DROPPED' && !(await this.registration.isCovered(userId));
    if (isWithdrawn) throw ConsentErrors.withdrawn();
    const refusal = refusalOf(account, registration);
    if (refusal) throw refusal;
    // the issuer may have been removed since
    const issuer = named ?? this.issuers.all.find(({ slug }) => slug === registration?.issuerSlug);
    return { account, match: account.match, issuer, registration };
  }

  /**
   * @param attempt names an account with a name of which nothing is stored: the first time it is another try
   * @throws AppError the refusal, with the issuer's step failed; GeneralErrors.tooManyRequests if the step has changed
   * too often today
   */
  private async refuse(
    userId: string,
    issuer: Issuer | undefined,
    refusal: AppError,
    attempt?: string,
  ): Promise<never> {
    const reason = refusal.code!;
    await this.dataSource.transaction(async (tx) => {
      const isAnotherTry = attempt !== undefined && (await this.calls.isFirst(tx, userId, attempt));
      await this.registrations.refuse(tx, userId, issuer?.slug, { reason, isAnotherTry });
    });
    throw refusal;
  }
}
