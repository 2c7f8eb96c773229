import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { GeneralErrors } from '@fd/errors';
import { DataSource, type EntityManager } from 'typeorm';
import type { Issuer } from '../config/index.js';
import { AuditTrail, stateAfter, type AuditEntry } from '../core/index.js';
import { countRow, secondsUntilNext } from '../identity/index.js';
import type { IssuerRegistrations } from '../journey/index.js';
import { IdentitiesRepository, type NameMatch } from '../kyc/index.js';
import {
  type BankAccount,
  BankAccountsRepository,
  type GivenAccount,
} from './accounts/bank-accounts.repository.js';
import {
  ACCOUNT_TRANSITIONS,
  isAnotherVerification,
  isMismatchInReview,
  isToBeVerifiedAgain,
  isUncompared,
  OPEN_ACCOUNT_STATES,
  reviewOf,
} from './accounts/bank.states.js';
import { compareHolder } from './accounts/compare-holder.js';
import { type AccountRegistration, RegistrationsRepository } from './accounts/registrations.repository.js';
import { CHECKS, countMismatch, secondsUntilComparison } from './verification/bank-limits.js';

interface VerificationRequest {
  readonly account: BankAccount;
  /** Whether the audit trail has the request, which is recorded once for a call. */
  readonly isRecorded: boolean;
}

/**
 * Stores a user's request before a provider is called, so that a crash loses nothing. Locks are taken in
 * one order: user, identity, account, registration, journey by issuer.
 */
@Injectable()
export class AccountRequests implements IssuerRegistrations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Requests the verification of an account and its registration. Returns a settled verification unchanged, unless the
   * bank's refusal is old enough for a new verification.
   * @throws GeneralErrors.tooManyRequests after a day's number of verifications, or of mismatched names of the user or
   * of the account
   */
  async requestVerification(given: GivenAccount, issuer: Issuer | undefined): Promise<VerificationRequest> {
    const requested = await this.dataSource.transaction(async (tx) => {
      // locks the user, so that of parallel calls one creates the account
      const waitSeconds = await secondsUntilNext(tx, CHECKS, given.userId);
      const known = await this.accounts.lockByNumber(tx, given);
      if (known && !OPEN_ACCOUNT_STATES.includes(known.state) && !isToBeVerifiedAgain(known))
        return { account: known, isRecorded: false };
      const isOpen = known !== undefined && OPEN_ACCOUNT_STATES.includes(known.state);
      const isSameName = known !== undefined && isSameText(known.holder.claimed, given.holderName);
      const isReviewAsked = given.isReviewAsked === true || (isSameName && known.isReviewAsked);
      if (!isOpen || !isSameName) await this.requireComparison(tx, given);
      if (!known || isAnotherVerification(known)) {
        if (waitSeconds > 0) throw GeneralErrors.tooManyRequests({ retryAfterSeconds: waitSeconds });
        await countRow(tx, CHECKS, given.userId);
      }
      if (known) await this.accounts.giveAgain(tx, known, given.holderName, isReviewAsked);
      const id = known?.id ?? (await this.accounts.create(tx, given));
      const account = await this.accounts.findById(id, tx);
      await this.recordGiven(tx, account, issuer, isOpen);
      await this.registrations.request(tx, account, issuer);
      return { account, isRecorded: true };
    });
    if (requested.isRecorded) this.audit.keepRepeatable(givenEntry(requested.account, issuer));
    return requested;
  }

  /** The account, if the user has given it under this name before. */
  async findKnown(given: GivenAccount): Promise<BankAccount | undefined> {
    const known = await this.accounts.findByNumber(given);
    return known && isSameText(known.holder.claimed, given.holderName) ? known : undefined;
  }

  /** Requests the registration of an account from before the user chose an issuer. */
  async registerAt(issuer: Issuer, userId: string): Promise<void> {
    const unregistered = await this.accounts.findUnregisteredId(userId);
    if (!unregistered) return;
    await this.dataSource.transaction(async (tx) => {
      const account = await this.accounts.lockById(tx, unregistered);
      // a parallel call may have finished first
      if ((await this.accounts.findUnregisteredId(userId, tx)) !== unregistered) return;
      await this.registrations.request(tx, account, issuer);
    });
  }

  /**
   * Accepts a holder's name if the holder's, the bank's and the PAN's name (if any) match each other: verifies the
   * account and requests its registration, which waits for a PAN or for a review of names that match in part. An
   * account whose names match without a review keeps them when it is repeated with a name that needs one. Puts names that do not
   * match to review if that was asked for, unless the account is verified under another name; they are counted all the same.
   * @returns undefined if the names do not match and are not in review, or an operator has refused them; it is counted and
   * changes nothing else
   * @throws GeneralErrors.tooManyRequests after too many mismatched names of the user or of the account in a day
   */
  async acceptHolderName(
    { account: of, isRecorded }: { account: Pick<BankAccount, 'id' | 'userId'>; isRecorded: boolean },
    name: string,
    issuer: Issuer | undefined,
    isAsked = false,
  ): Promise<
    { match: NameMatch; account: BankAccount; registration: AccountRegistration | undefined } | undefined
  > {
    const kept = await this.dataSource.transaction(async (tx) => {
      const account = await this.accounts.lockWithUser(tx, of);
      const { id } = account;
      const isSame = isSameText(account.holder.claimed, name);
      // settled with this name, which was counted then if it did not match
      const isKnown = isSame && (isRecorded || account.state === 'VERIFIED' || isMismatchInReview(account));
      if (!isKnown) await this.requireComparison(tx, account);
      // read under the lock, so that earlier comparisons are visible
      const panName = (await this.identities.findByUserId(account.userId, tx))?.fullName;
      const { nameAtBank } = account;
      const matchOf = (claimed: string): NameMatch => compareHolder({ claimed, panName, nameAtBank })!;
      const isCompared = panName !== undefined;
      const isAccepted = account.state === 'VERIFIED' && account.isCompared && account.review === null;
      const isWeaker = isAccepted && matchOf(name).band === 'REVIEW';
      const claimed = isWeaker ? account.holder.claimed : name;
      const match = matchOf(claimed);
      // an operator has accepted these names
      const isAcceptedMismatch = isSame && account.review === 'ACCEPTED' && account.isCompared === isCompared;
      const isMismatch = match.band === 'MISMATCH' && !isAcceptedMismatch;
      const isReviewAsked = isAsked || (isSame && account.isReviewAsked);
      const isReviewable = account.state === 'MISMATCHED' || (isSame && isCompared && isUncompared(account));
      const review = reviewOf(match.band, isReviewAsked && isReviewable);
      const isRefused = review !== null && (await this.accounts.isRefused(tx, account));
      if ((isMismatch || isRefused) && !isKnown)
        await countMismatch(tx, this.accounts.countedNumber(account));
      if (isRefused || (isMismatch && !review)) return undefined;
      await this.accounts.giveAgain(tx, account, claimed, isReviewAsked);
      const state = stateAfter(ACCOUNT_TRANSITIONS, account.state, isMismatch ? 'DIFFERED' : 'MATCHED');
      const isReviewSpared = account.review === 'WAITING' && !review;
      const isOtherName = !isSame || !isDeepStrictEqual(match, account.match);
      const isReviewNew = account.review === 'WAITING' ? review !== null && isOtherName : isMismatch;
      const isNews =
        account.state !== state || account.isCompared !== isCompared || isReviewSpared || isReviewNew;
      if (!isRecorded) await this.recordGiven(tx, account, issuer, !isNews);
      const accepted = isNews ? { ...account, state, isCompared, review } : account;
      if (isNews) {
        await this.accounts.settle(tx, id, { state, match, isCompared, review });
        // an issuer may have it from before the user lost the former PAN
        if (isMismatch && account.state === 'VERIFIED') await this.registrations.withdrawWhileWaiting(tx, id);
        await this.registrations.restartClocks(tx, accepted);
      }
      const changes = isNews ? await this.registrations.verifiedSteps(tx, accepted) : [];
      const registration = await this.registrations.request(tx, accepted, issuer, changes);
      // to the partner that has it now
      await this.registrations.publishVerified(tx, account, state);
      await this.registrations.publishReviewStarted(tx, account, accepted.review);
      return { match, account: accepted, registration };
    });
    if (kept) this.audit.keepRepeatable(givenEntry(kept.account, issuer));
    return kept;
  }

  /** @throws GeneralErrors.tooManyRequests if the account was given up after too many mismatched names */
  async requireComparisonOf(account: BankAccount): Promise<void> {
    await this.dataSource.transaction(async (tx) =>
      this.requireComparison(tx, await this.accounts.lockWithUser(tx, account)),
    );
  }

  private async requireComparison(
    tx: EntityManager,
    account: Pick<GivenAccount, 'userId' | 'account' | 'ifsc'>,
  ): Promise<void> {
    const retryAfterSeconds = await secondsUntilComparison(tx, this.accounts.countedNumber(account));
    if (retryAfterSeconds > 0) throw GeneralErrors.tooManyRequests({ retryAfterSeconds });
  }

  /** Records a repeat, which changes nothing, once a minute. */
  private async recordGiven(
    tx: EntityManager,
    account: BankAccount,
    issuer: Issuer | undefined,
    isRepeat: boolean,
  ): Promise<void> {
    const entry = givenEntry(account, issuer);
    if (!isRepeat || !this.audit.isKnown(entry)) await this.audit.record(tx, entry);
  }
}

const givenEntry = (
  { id: object, userId: subject }: BankAccount,
  issuer: Issuer | undefined,
): AuditEntry => ({
  action: 'BANK_ACCOUNT_GIVEN',
  subject,
  object,
  ...(issuer && { issuer: issuer.slug }),
});

/** Names from the PAN registry, and those of former releases, may be decomposed. */
export const isSameText = (one: string, other: string): boolean =>
  one.normalize('NFC') === other.normalize('NFC');
