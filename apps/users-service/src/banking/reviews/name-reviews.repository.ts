import { BankErrors } from '@fd/errors';
import { type EntityManager, IsNull, MoreThan, type Repository } from 'typeorm';
import { type AuditTrail, type KeyedHash, stateAfter } from '../../core/index.js';
import type { IdentitiesRepository } from '../../kyc/index.js';
import { BankAccountRow } from '../accounts/bank-account.entity.js';
import { type BankAccount, type BankAccountsRepository } from '../accounts/bank-accounts.repository.js';
import { ACCOUNT_TRANSITIONS } from '../accounts/bank.states.js';
import { compareHolder } from '../accounts/compare-holder.js';
import { type RegistrationsRepository } from '../accounts/registrations.repository.js';

/** An account with names in review. */
export interface WaitingReview {
  readonly id: string;
  readonly userId: string;
  readonly since: Date;
  readonly match: { readonly score: number; readonly reasons: readonly string[] };
}

/** The compared names; null if unknown. */
interface ReviewedNames {
  readonly userId: string;
  readonly claimed: string;
  readonly atBank: string | null;
  readonly atPan: string | null;
  /** Identifies the three compared names: a decision on others is refused. */
  readonly token: string;
}

/** A decision of an operator about a review. */
export interface Decision {
  readonly id: string;
  /** The token of the names that the operator has read. */
  readonly token: string;
  readonly reason: string;
}

/** `changed`: the operator has read other names. */
export type Decided = 'decided' | 'unknown' | 'changed';

/** Maximum length of the list, oldest first. */
const MAX_LISTED = 200;

/** Short enough to copy; no one can compute other names with the same token. */
const TOKEN_BYTES = 6;

/** Batch size of the new comparison. */
const RECHECK_BATCH = 100;

/** Verified accounts whose names no operator has accepted. */
const UNDECIDED = { state: 'VERIFIED', isCompared: true, nameReview: IsNull() } as const;

/** Decisions of operators on names that match in part, or that differ if the user has asked for a review. */
export class NameReviewsRepository {
  constructor(
    private readonly rows: Repository<BankAccountRow>,
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly audit: AuditTrail,
    private readonly hash: KeyedHash,
  ) {}

  /** Lists the reviews after recording the read. @param reason of the operator */
  async listWaiting(reason: string): Promise<WaitingReview[]> {
    await this.audit.record(this.rows.manager, { action: 'NAME_REVIEWS_LISTED', code: reason });
    const waiting = await this.rows.find({
      where: { nameReview: 'WAITING' },
      order: { settledAt: 'ASC' },
      take: MAX_LISTED,
    });
    return waiting.map(({ id, userId, settledAt, nameMatch }) => ({
      ...{ id, userId },
      since: settledAt!,
      match: nameMatch!,
    }));
  }

  /**
   * Compares the names of accepted accounts again, since the rules may have changed. Accounts that no longer match wait
   * for a decision; issuers keep them until then. Records itself first.
   * @returns the accounts that now wait, newest last
   */
  async *recheck(reason: string): AsyncGenerator<WaitingReview> {
    await this.audit.record(this.rows.manager, { action: 'NAME_REVIEWS_LISTED', code: reason });
    for (let last: string | undefined; ;) {
      const batch = await this.rows.find({
        select: { id: true, userId: true },
        where: { ...UNDECIDED, ...(last && { id: MoreThan(last) }) },
        order: { id: 'ASC' },
        take: RECHECK_BATCH,
      });
      for (const account of batch) {
        const doubted = await this.recheckOne(account, reason);
        if (doubted) yield doubted;
      }
      if (batch.length < RECHECK_BATCH) return;
      last = batch.at(-1)!.id;
    }
  }

  private async recheckOne(
    of: Pick<BankAccount, 'id' | 'userId'>,
    reason: string,
  ): Promise<WaitingReview | undefined> {
    return this.rows.manager.transaction(async (tx) => {
      const account = await this.accounts.lockWithUser(tx, of);
      const { id, userId, holder, nameAtBank } = account;
      const identity = await this.identities.findByUserId(userId, tx);
      const match = compareHolder({ claimed: holder.claimed, panName: identity?.fullName, nameAtBank });
      if (match?.band !== 'REVIEW' && match?.band !== 'MISMATCH') return undefined;
      const doubted = await tx.findOneBy(BankAccountRow, { id, ...UNDECIDED });
      if (!doubted) return undefined;
      await tx.update(BankAccountRow, { id }, { nameReview: 'WAITING', nameMatch: match });
      await this.registrations.restartClocks(tx, { ...account, review: 'WAITING' });
      await this.registrations.publishReviewStarted(tx, account, 'WAITING');
      await this.record(tx, 'BANK_NAMES_DOUBTED', account, reason);
      return { id, userId, since: doubted.settledAt!, match };
    });
  }

  /** Returns the names of an account in review and records the read in the audit trail; undefined for an unknown review. */
  async namesOf(id: string, reason: string): Promise<ReviewedNames | undefined> {
    return this.rows.manager.transaction(async (tx) => {
      const account = await this.lockWaiting(tx, id);
      if (!account) return undefined;
      await this.record(tx, 'BANK_ACCOUNT_READ', account, reason);
      return this.namesIn(tx, account);
    });
  }

  /** Accepts the account, also if its names differ, and requests its registrations. The PAN's name is one of those that were read. */
  async accept(decision: Decision): Promise<Decided> {
    return this.decide(decision, async (tx, account, { atPan }) => {
      const { id, userId } = account;
      const state = stateAfter(ACCOUNT_TRANSITIONS, account.state, 'MATCHED');
      const isCompared = atPan !== null;
      await tx.update(BankAccountRow, { id }, { state, isCompared, nameReview: 'ACCEPTED' });
      await this.registrations.publishVerified(tx, account, state);
      const accepted = { ...account, state, isCompared, review: 'ACCEPTED' } as const;
      await this.registrations.restartClocks(tx, accepted);
      const steps = await this.registrations.verifiedSteps(tx, accepted);
      await this.registrations.recordSteps(tx, userId, steps);
      await this.record(tx, 'BANK_NAMES_ACCEPTED', account, decision.reason);
    });
  }

  /** Refuses the account as another person's. */
  async refuse(decision: Decision): Promise<Decided> {
    return this.decide(decision, async (tx, account) => {
      const state = stateAfter(ACCOUNT_TRANSITIONS, account.state, 'DIFFERED');
      await this.accounts.settle(tx, account.id, { state, review: 'REFUSED' });
      await this.registrations.dropForAccount(tx, account, BankErrors.holderDiffers.code);
      await this.record(tx, 'BANK_NAMES_REFUSED', account, decision.reason);
    });
  }

  /** Meanwhile the user may have sent another name, or verified another PAN. */
  private async decide(
    { id, token }: Decision,
    work: (tx: EntityManager, account: BankAccount, names: ReviewedNames) => Promise<void>,
  ): Promise<Decided> {
    return this.rows.manager.transaction(async (tx) => {
      const account = await this.lockWaiting(tx, id);
      if (!account) return 'unknown';
      const names = await this.namesIn(tx, account);
      if (names.token !== token) return 'changed';
      await this.registrations.publishReview(tx, 'bank.review_decided', account);
      await work(tx, account, names);
      return 'decided';
    });
  }

  /** Locks an account in review and its user's identity, so that the names stay the same. */
  private async lockWaiting(tx: EntityManager, id: string): Promise<BankAccount | undefined> {
    const waiting = await tx.findOneBy(BankAccountRow, { id, nameReview: 'WAITING' });
    const account = waiting && (await this.accounts.lockWithIdentity(tx, waiting));
    return account?.review === 'WAITING' ? account : undefined;
  }

  private async namesIn(
    tx: EntityManager,
    { userId, holder, nameAtBank: atBank }: BankAccount,
  ): Promise<ReviewedNames> {
    const identity = await this.identities.findByUserId(userId, tx);
    const [claimed, atPan] = [holder.claimed, identity?.fullName ?? null];
    const names = JSON.stringify([claimed, atBank, atPan]);
    const token = this.hash.digest('bank_accounts.names', names).toString('hex', 0, TOKEN_BYTES);
    return { userId, claimed, atBank, atPan, token };
  }

  private async record(
    tx: EntityManager,
    action: 'BANK_ACCOUNT_READ' | 'BANK_NAMES_DOUBTED' | 'BANK_NAMES_ACCEPTED' | 'BANK_NAMES_REFUSED',
    { id: object, userId: subject }: BankAccount,
    code: string,
  ): Promise<void> {
    await this.audit.record(tx, { action, subject, object, code });
  }
}
