import { BankErrors } from '@fd/errors';
import { type Database, type Transaction } from '@fd/platform';
import { type AuditTrail, type KeyedHash, stateAfter } from '../../core/index.js';
import { type IdentitiesRepository, matchWeakest } from '../../kyc/index.js';
import { type BankAccount, type BankAccountsRepository } from '../accounts/bank-accounts.repository.js';
import { ACCOUNT_TRANSITIONS } from '../accounts/bank.states.js';
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
const UNDECIDED = "state = 'VERIFIED' AND is_compared AND name_review IS NULL";

/** Decisions of operators on names that match in part. */
export class NameReviewsRepository {
  constructor(
    private readonly database: Database,
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly identities: IdentitiesRepository,
    private readonly audit: AuditTrail,
    private readonly hash: KeyedHash,
  ) {}

  /** Lists the reviews after recording the read. @param reason of the operator */
  async listWaiting(reason: string): Promise<WaitingReview[]> {
    await this.audit.record(this.database, { action: 'NAME_REVIEWS_LISTED', code: reason });
    return this.database.query<WaitingReview[]>(
      `SELECT id, user_id AS "userId", settled_at AS since, name_match AS match FROM onboarding.bank_accounts
        WHERE name_review = 'WAITING' ORDER BY settled_at LIMIT $1`,
      [MAX_LISTED],
    );
  }

  /**
   * Compares the names of accepted accounts again, since the rules may have changed. Accounts that no longer match wait
   * for a decision; issuers keep them until then. Records itself first.
   * @returns the accounts that now wait, newest last
   */
  async *recheck(reason: string): AsyncGenerator<WaitingReview> {
    await this.audit.record(this.database, { action: 'NAME_REVIEWS_LISTED', code: reason });
    for (let last: string | null = null; ;) {
      const batch: { id: string; userId: string }[] = await this.database.query(
        `SELECT id, user_id AS "userId" FROM onboarding.bank_accounts
          WHERE ${UNDECIDED} AND ($1::uuid IS NULL OR id > $1) ORDER BY id LIMIT ${RECHECK_BATCH}`,
        [last],
      );
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
    return this.accounts.transaction(async (transaction) => {
      const account = await this.accounts.lockWithUser(transaction, of);
      const { id, userId, holder, nameAtBank } = account;
      const identity = await this.identities.findByUserId(userId, transaction);
      const match = matchWeakest([holder.claimed, identity?.fullName, nameAtBank]);
      if (match?.band !== 'REVIEW' && match?.band !== 'MISMATCH') return undefined;
      const [doubted] = await transaction.query<{ since: Date }[]>(
        `UPDATE onboarding.bank_accounts SET name_review = 'WAITING', name_match = $2
          WHERE id = $1 AND ${UNDECIDED} RETURNING settled_at AS since`,
        [id, JSON.stringify(match)],
      );
      if (!doubted) return undefined;
      await this.registrations.restartClocks(transaction, { ...account, review: 'WAITING' });
      await this.record(transaction, 'BANK_NAMES_DOUBTED', account, reason);
      return { id, userId, since: doubted.since, match };
    });
  }

  /** Returns the names of an account in review and records the read in the audit trail; undefined for an unknown review. */
  async namesOf(id: string, reason: string): Promise<ReviewedNames | undefined> {
    return this.accounts.transaction(async (transaction) => {
      const account = await this.lockWaiting(transaction, id);
      if (!account) return undefined;
      await this.record(transaction, 'BANK_ACCOUNT_READ', account, reason);
      return this.namesIn(transaction, account);
    });
  }

  /** Accepts the account and requests its registrations. */
  async accept(decision: Decision): Promise<Decided> {
    return this.decide(decision, async (transaction, account) => {
      const { id, userId } = account;
      await transaction.query("UPDATE onboarding.bank_accounts SET name_review = 'ACCEPTED' WHERE id = $1", [
        id,
      ]);
      const accepted = { ...account, review: 'ACCEPTED' } as const;
      await this.registrations.restartClocks(transaction, accepted);
      const steps = await this.registrations.verifiedSteps(transaction, accepted);
      await this.registrations.recordSteps(transaction, userId, steps);
      await this.record(transaction, 'BANK_NAMES_ACCEPTED', account, decision.reason);
    });
  }

  /** Refuses the account as another person's. */
  async refuse(decision: Decision): Promise<Decided> {
    return this.decide(decision, async (transaction, account) => {
      const state = stateAfter(ACCOUNT_TRANSITIONS, account.state, 'DIFFERED');
      await this.accounts.settle(transaction, account.id, { state, review: 'REFUSED' });
      await this.registrations.dropForAccount(transaction, account, BankErrors.holderDiffers.code);
      await this.record(transaction, 'BANK_NAMES_REFUSED', account, decision.reason);
    });
  }

  /** Meanwhile the user may have sent another name, or verified another PAN. */
  private async decide(
    { id, token }: Decision,
    work: (transaction: Transaction, account: BankAccount) => Promise<void>,
  ): Promise<Decided> {
    return this.accounts.transaction(async (transaction) => {
      const account = await this.lockWaiting(transaction, id);
      if (!account) return 'unknown';
      if ((await this.namesIn(transaction, account)).token !== token) return 'changed';
      await work(transaction, account);
      return 'decided';
    });
  }

  /** Locks an account in review and its user's identity, so that the names stay the same. */
  private async lockWaiting(transaction: Transaction, id: string): Promise<BankAccount | undefined> {
    const [waiting] = await transaction.query<{ userId: string }[]>(
      `SELECT user_id AS "userId" FROM onboarding.bank_accounts WHERE id = $1 AND name_review = 'WAITING'`,
      [id],
    );
    const account = waiting && (await this.accounts.lockWithIdentity(transaction, { id, ...waiting }));
    return account?.review === 'WAITING' ? account : undefined;
  }

  private async namesIn(
    transaction: Transaction,
    { userId, holder, nameAtBank: atBank }: BankAccount,
  ): Promise<ReviewedNames> {
    const identity = await this.identities.findByUserId(userId, transaction);
    const [claimed, atPan] = [holder.claimed, identity?.fullName ?? null];
    const names = JSON.stringify([claimed, atBank, atPan]);
    const token = this.hash.digest('bank_accounts.names', names).toString('hex', 0, TOKEN_BYTES);
    return { userId, claimed, atBank, atPan, token };
  }

  private async record(
    transaction: Transaction,
    action: 'BANK_ACCOUNT_READ' | 'BANK_NAMES_DOUBTED' | 'BANK_NAMES_ACCEPTED' | 'BANK_NAMES_REFUSED',
    { id: object, userId: subject }: BankAccount,
    code: string,
  ): Promise<void> {
    await this.audit.record(transaction, { action, subject, object, code });
  }
}
