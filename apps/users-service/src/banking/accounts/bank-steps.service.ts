import { Injectable } from '@nestjs/common';
import type { ErrorCode } from '@fd/errors';
import type { EntityManager } from 'typeorm';
import { JourneyRepository, type StepEvent } from '../../journey/index.js';
import type { BankAccount } from './bank-account.js';
import { BankSyncsRepository } from './bank-syncs.repository.js';

/** What happens to the step BANK with one issuer. */
export interface BankStepChange {
  /** Slug. */
  readonly issuer: string;
  readonly event: StepEvent;
  readonly reason?: ErrorCode;
}

/** Tells the journeys of a user what became of an account. The caller has locked the account. */
@Injectable()
export class BankSteps {
  constructor(
    private readonly syncs: BankSyncsRepository,
    private readonly journey: JourneyRepository,
  ) {}

  /** Records changes in one order of issuers, so that two accounts of a user do not block each other. */
  async record(manager: EntityManager, userId: string, changes: readonly BankStepChange[]): Promise<void> {
    const sorted = [...changes].sort((a, b) => (a.issuer < b.issuer ? -1 : 1));
    for (const change of sorted) await this.journey.record(manager, { userId, step: 'BANK', ...change });
  }

  /** What the issuers that have an account already make of it once it is verified for good. */
  async completed(manager: EntityManager, accountId: string): Promise<BankStepChange[]> {
    const issuers = await this.syncs.sentTo(manager, accountId, ['SYNCED']);
    return issuers.map((issuer) => ({ issuer, event: 'COMPLETED' }));
  }

  /** The account is not going to be verified: nothing more is sent, and the steps of the issuers that wait fail. */
  async drop(
    manager: EntityManager,
    { id, userId }: Pick<BankAccount, 'id' | 'userId'>,
    reason: ErrorCode,
  ): Promise<void> {
    const waiting = await this.syncs.dropAll(manager, id);
    // a name that is compared later may find issuers that have the account already
    const sent = await this.syncs.sentTo(manager, id, ['ACCEPTED', 'SYNCED']);
    const changes = [...waiting, ...sent].map((issuer) => ({ issuer, event: 'FAILED', reason }) as const);
    await this.record(manager, userId, changes);
  }
}
