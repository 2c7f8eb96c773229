import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { remainingMs } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import type { EntityManager } from 'typeorm';
import {
  IssuerApis,
  IssuerDirectory,
  orUnavailable,
  type Registration,
  UNAVAILABLE_ERRORS,
} from '../../integrations/index.js';
import type { BankAccount, BankSync } from './bank-account.js';
import { BankAccountsRepository } from './bank-accounts.repository.js';
import { BankLeases, type Lease } from './bank-leases.repository.js';
import { SYNC_REFUSALS } from './bank-outcome.js';
import { BankSteps, type BankStepChange } from './bank-steps.service.js';
import { BankSyncsRepository } from './bank-syncs.repository.js';
import { LOOK_AGAIN_MS, MIN_CALL_MS, pollSeconds, retrySeconds } from './bank.policy.js';
import { OPEN_SYNC_STATES, stateAfter, SYNC_TRANSITIONS, type SyncEvent } from './bank.states.js';
import { HolderComparison } from './holder-comparison.service.js';

/** What an issuer says; `lost`: it no longer knows what it has accepted. */
type IssuerAnswer = Registration | { readonly state: 'lost' };

/**
 * Second half of the saga: a verified account is registered at an issuer. Steps are leased, done and written down
 * like those of the first half.
 */
@Injectable()
export class BeneficiaryRegistration {
  private readonly logger = new Logger(BeneficiaryRegistration.name);

  constructor(
    private readonly leases: BankLeases,
    private readonly accounts: BankAccountsRepository,
    private readonly syncs: BankSyncsRepository,
    private readonly comparison: HolderComparison,
    private readonly steps: BankSteps,
    private readonly issuers: IssuerDirectory,
    private readonly apis: IssuerApis,
  ) {}

  /**
   * Brings a registration to its result, for a call: by asking the issuer and polling it for a moment, or by
   * waiting for whoever does.
   * @returns the registration as it is at the end; still open when there is no time left
   * @throws IssuerErrors.unavailable when the issuer failed, whoever asked it
   */
  async settle({ id, tries }: BankSync): Promise<BankSync> {
    for (;;) {
      const sync = await this.syncs.find(id);
      if (!OPEN_SYNC_STATES.includes(sync.state) || remainingMs() < MIN_CALL_MS) return sync;
      // somebody else's try failed while we waited for it
      if (sync.state === 'DUE' && sync.tries > tries) throw UNAVAILABLE_ERRORS.issuer();
      const lease = await this.leases.claim('bank_syncs', id);
      if (lease) await orUnavailable('issuer', () => this.advance(lease));
      else await sleep(LOOK_AGAIN_MS);
    }
  }

  /**
   * One step of a leased registration: a question to the issuer, and what becomes of the answer.
   * @throws ProviderError the registration has been put back, to be tried again
   */
  async advance(lease: Lease): Promise<void> {
    const sync = await this.syncs.find(lease.id);
    // nothing is sent of an account that is known to be somebody else's
    const account = await this.comparison.catchUp((await this.accounts.find(sync.accountId))!);
    if (sync.state === 'DUE' && account.state !== 'VERIFIED') return;
    let answer: IssuerAnswer;
    try {
      answer = await this.ask(sync, account);
    } catch (error) {
      if (error instanceof ProviderError) await this.putOff(lease, retrySeconds(sync.tries, Math.random()));
      throw error;
    }
    await this.leases.transaction(async (manager) => {
      const locked = await this.accounts.lock(manager, sync.accountId);
      const leased = await this.syncs.lockLeased(manager, lease);
      // whoever has the lease now has asked with the same key and writes the same
      if (leased) await this.write(manager, leased, locked, answer);
    });
  }

  private async ask(sync: BankSync, account: BankAccount): Promise<IssuerAnswer> {
    const { beneficiaries } = this.apis.of(this.issuers.bySlug(sync.issuerSlug));
    if (sync.state === 'ACCEPTED') {
      return beneficiaries.outcome(sync.receipt!).catch((error: unknown) => {
        if (error instanceof ProviderError && error.failure === 'refused') return { state: 'lost' };
        throw error;
      });
    }
    return beneficiaries.register(
      {
        // as the bank writes it: payments are made to this name, and it is the same for every try
        holderName: account.nameAtBank!,
        account: account.account,
        ifsc: account.ifsc,
        customerReference: account.userId,
      },
      sync.idempotencyKey,
    );
  }

  private async write(
    manager: EntityManager,
    sync: BankSync,
    account: BankAccount,
    answer: IssuerAnswer,
  ): Promise<void> {
    const isVerified = account.state === 'VERIFIED';
    switch (answer.state) {
      case 'lost':
        // what turned out to be somebody else's is not sent again
        if (!isVerified) return this.end(manager, sync, 'DROPPED');
        return this.keepOpen(manager, sync, null);
      case 'accepted':
        return this.keepOpen(manager, sync, answer.receipt);
      case 'registered':
        await this.end(manager, sync, 'REGISTERED', answer.reference);
        // else the step is done when the account is compared with the PAN
        if (isVerified && account.isCompared) await this.record(manager, sync, { event: 'COMPLETED' });
        return;
      case 'invalid-beneficiary':
        await this.end(manager, sync, 'REFUSED');
        // another's account has failed already, for a better reason
        if (isVerified)
          await this.record(manager, sync, { event: 'FAILED', reason: SYNC_REFUSALS.INVALID.code });
    }
  }

  private async keepOpen(manager: EntityManager, sync: BankSync, receipt: string | null): Promise<void> {
    if (sync.isOverdue) return this.giveUp(manager, sync);
    const isPoll = sync.state === 'ACCEPTED' && receipt !== null;
    const tries = isPoll ? sync.tries + 1 : 0;
    await this.syncs.keepOpen(manager, sync.id, {
      state: stateAfter(SYNC_TRANSITIONS, sync.state, receipt === null ? 'LOST' : 'ACCEPTED'),
      receipt,
      tries,
      seconds: pollSeconds('issuer', tries, Math.random()),
    });
  }

  /** Gives one back after a failure, to be tried again later, or gives it up when that went on for a day. */
  async putOff(lease: Lease, seconds: number): Promise<void> {
    const isOverdue = await this.leases.postpone(lease, seconds);
    if (!isOverdue) return;
    await this.leases.transaction(async (manager) => {
      const sync = await this.syncs.lock(manager, lease.id);
      const isStillOurs = OPEN_SYNC_STATES.includes(sync.state) && !sync.isLeased;
      if (isStillOurs && sync.isOverdue) await this.giveUp(manager, sync);
    });
  }

  private async giveUp(manager: EntityManager, sync: BankSync): Promise<void> {
    this.logger.error({
      msg: 'a registration at an issuer was given up',
      verification_id: sync.accountId,
      issuer: sync.issuerSlug,
    });
    await this.end(manager, sync, 'GIVEN_UP');
    await this.record(manager, sync, { event: 'FAILED', reason: SYNC_REFUSALS.ABANDONED.code });
  }

  private async end(
    manager: EntityManager,
    sync: BankSync,
    event: Exclude<SyncEvent, 'ACCEPTED' | 'LOST' | 'ASKED_AGAIN'>,
    reference: string | null = null,
  ): Promise<void> {
    const state = stateAfter(SYNC_TRANSITIONS, sync.state, event);
    await this.syncs.settle(manager, sync.id, { state, reference });
  }

  private async record(
    manager: EntityManager,
    { userId, issuerSlug: issuer }: BankSync,
    change: Omit<BankStepChange, 'issuer'>,
  ): Promise<void> {
    await this.steps.record(manager, userId, [{ issuer, ...change }]);
  }
}
