import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Database, type Queryable, type Transaction } from '@fd/platform';
import {
  CALL_COLUMNS,
  type CallState,
  DUE_AGAIN,
  HANDED_OVER_AT,
  isOnHold,
  KeyedHash,
  LEASE_SECONDS,
  PiiCipher,
  RELEASED,
  SETTLED,
  stateAfter,
} from '../../core/index.js';
import { isCovered, LOCK_USER } from '../../identity/index.js';
import { LOCK_IDENTITY, type NameMatch } from '../../kyc/index.js';
import {
  ACCOUNT_TRANSITIONS,
  type AccountState,
  isAnotherVerification,
  isToBeVerifiedAgain,
  type NameReview,
} from './bank.states.js';

export interface GivenAccount {
  readonly userId: string;
  readonly account: string;
  readonly ifsc: string;
  readonly holderName: string;
}

type AccountNumber = Pick<GivenAccount, 'ifsc' | 'account'>;

/** One account, however it is written: banks accept any branch's IFSC and drop leading zeros. */
export const withoutBranch = ({ ifsc, account }: AccountNumber): AccountNumber => ({
  ifsc: ifsc.slice(0, 4),
  account: account.replace(/^0+/, ''),
});

/** The account holder's name. */
interface Holder {
  /** As sent to the bank with the current key, since a retry must equal the first try. */
  readonly sent: string;
  /** The user's latest input. */
  readonly claimed: string;
}

/** The bank's answer about an account, and the result of comparing names. */
interface Verified {
  readonly nameAtBank: string | null;
  readonly bankName: string | null;
  /** Result of the comparison of names that decided the current state. */
  readonly match: NameMatch | null;
  /** Whether the PAN's name was compared. Until it is, a verified account may still be refused. */
  readonly isCompared: boolean;
  readonly review: NameReview;
}

/** An account of a user with the state of its verification. Mask it before sending or logging. */
export interface BankAccount extends CallState<AccountState>, Verified {
  readonly userId: string;
  readonly account: string;
  readonly ifsc: string;
  readonly holder: Holder;
  /** Provider where the verification with the current key was begun, or may have been; null if none. */
  readonly provider: string | null;
}

/** Omitted fields stay as they are, except the review: a new comparison clears it. */
export type AccountResult = Pick<BankAccount, 'state'> & Partial<Verified>;

interface Row extends Omit<BankAccount, 'account' | 'ifsc' | 'holder' | 'nameAtBank'> {
  readonly sealedAccount: string;
  readonly sealedHolder: string;
  readonly sealedNameAtBank: string | null;
}

/** Accounts that a worker compares in one round. */
const COMPARED_AT_ONCE = 50;

const COLUMNS = `${CALL_COLUMNS}, user_id AS "userId", account_encrypted AS "sealedAccount",
  holder_encrypted AS "sealedHolder", name_at_bank_encrypted AS "sealedNameAtBank", bank_name AS "bankName",
  name_match AS "match", is_compared AS "isCompared", name_review AS review, provider`;

const COVERED = isCovered('o.user_id', 'BANK_ACCOUNT_VERIFICATION');

/** Bank accounts and the answers of their banks. Account numbers and names are encrypted. */
@Injectable()
export class BankAccountsRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
  ) {}

  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  async findById(id: string, connection: Queryable = this.database): Promise<BankAccount> {
    return (await this.find('id = $1', [id], connection))!;
  }

  async findByUserAndId(userId: string, id: string): Promise<BankAccount | undefined> {
    return this.find('id = $1 AND user_id = $2', [id, userId]);
  }

  /** Id of the user's latest account, unless it was refused or its registration was requested. */
  async findUnregisteredId(
    userId: string,
    connection: Queryable = this.database,
  ): Promise<string | undefined> {
    const [row] = await connection.query<{ id: string; isUnregistered: boolean }[]>(
      `SELECT id, state IN ('DUE', 'PROCESSING', 'VERIFIED') AND NOT EXISTS
                (SELECT 1 FROM onboarding.bank_syncs WHERE account_id = bank_accounts.id) AS "isUnregistered"
         FROM onboarding.bank_accounts WHERE user_id = $1 ORDER BY asked_at DESC, id DESC LIMIT 1`,
      [userId],
    );
    return row?.isUnregistered ? row.id : undefined;
  }

  /** Ids of verified accounts that were not compared with the user's newer PAN, a batch. */
  async findUncomparedIds(): Promise<string[]> {
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM onboarding.bank_accounts a WHERE state = 'VERIFIED' AND NOT is_compared
          AND EXISTS (SELECT 1 FROM onboarding.identities i WHERE i.user_id = a.user_id)
        ORDER BY asked_at DESC LIMIT $1`,
      [COMPARED_AT_ONCE],
    );
    return rows.map(({ id }) => id);
  }

  /** Locks the account with this number; undefined if it is new. */
  async lockByNumber(transaction: Transaction, given: GivenAccount): Promise<BankAccount | undefined> {
    const parameters = [given.userId, this.indexOf(given)];
    return this.find('user_id = $1 AND account_index = $2 FOR UPDATE', parameters, transaction);
  }

  async lockById(transaction: Transaction, id: string): Promise<BankAccount> {
    return (await this.find('id = $1 FOR UPDATE', [id], transaction))!;
  }

  /** Whether an operator has refused this account of the user as another person's, under any branch or leading zeros. */
  async isRefused(transaction: Transaction, account: BankAccount): Promise<boolean> {
    if (account.review === 'REFUSED') return true;
    const refused = await transaction.query<{ id: string; sealed: string }[]>(
      `SELECT id, account_encrypted AS sealed FROM onboarding.bank_accounts WHERE user_id = $1 AND name_review = 'REFUSED'`,
      [account.userId],
    );
    const number = JSON.stringify(withoutBranch(account));
    return refused.some(({ id, sealed }) => {
      const other = JSON.parse(this.cipher.decrypt(sealed, locationOf(id, 'account'))) as AccountNumber;
      return JSON.stringify(withoutBranch(other)) === number;
    });
  }

  /** Locks the user, whose mismatches are counted, and then as `lockWithIdentity`. */
  async lockWithUser(
    transaction: Transaction,
    { id, userId }: Pick<BankAccount, 'id' | 'userId'>,
  ): Promise<BankAccount> {
    await transaction.query(LOCK_USER, [userId]);
    return this.lockWithIdentity(transaction, { id, userId });
  }

  /**
   * Locks the user's identity and then the account, for a comparison with the PAN's name. A comparison that read the name
   * earlier could overwrite the effect of a release of the PAN.
   */
  async lockWithIdentity(
    transaction: Transaction,
    { id, userId }: Pick<BankAccount, 'id' | 'userId'>,
  ): Promise<BankAccount> {
    await transaction.query(LOCK_IDENTITY, [userId]);
    return this.lockById(transaction, id);
  }

  /** The caller has locked the user and found no such account. Returns the account's id. */
  async create(transaction: Transaction, given: GivenAccount): Promise<string> {
    const { userId, account, ifsc, holderName } = given;
    const id = uuidv7();
    await transaction.query(
      `INSERT INTO onboarding.bank_accounts
         (id, user_id, account_index, account_encrypted, holder_encrypted, idempotency_key, next_try_at, provider)
       VALUES ($1, $2, $3, $4, $5, $6, ${HANDED_OVER_AT}, NULL)`,
      [
        id,
        userId,
        this.indexOf(given),
        this.seal(id, 'account', JSON.stringify({ account, ifsc })),
        this.sealHolder(id, { sent: holderName, claimed: holderName }),
        randomUUID(),
      ],
    );
    return id;
  }

  /**
   * Records the holder's name, and that this account is the latest one. An account to be verified again becomes due: as
   * a new verification with its own key, or as the same one, if its outcome is unknown.
   */
  async giveAgain(transaction: Transaction, account: BankAccount, claimed: string): Promise<void> {
    const { id, state, holder, idempotencyKey, provider } = account;
    const isDue = isToBeVerifiedAgain(account);
    // without a provider the current key has had no effect
    const hasNewKey = isAnotherVerification(account) && provider !== null;
    await transaction.query(
      `UPDATE onboarding.bank_accounts
          SET state = $2, holder_encrypted = $3, idempotency_key = $4, provider = $5, asked_at = now()
              ${isDue ? `, ${DUE_AGAIN}` : ''}
        WHERE id = $1`,
      [
        id,
        isDue ? stateAfter(ACCOUNT_TRANSITIONS, state, 'ASKED_AGAIN') : state,
        this.sealHolder(id, { sent: hasNewKey ? claimed : holder.sent, claimed }),
        hasNewKey ? randomUUID() : idempotencyKey,
        hasNewKey ? null : provider,
      ],
    );
  }

  /** Whether the consents of the user still cover the verification of an account. */
  async isCovered({ id }: Pick<BankAccount, 'id'>): Promise<boolean> {
    const [row] = await this.database.query<{ isCovered: boolean }[]>(
      `SELECT ${COVERED} AS "isCovered" FROM onboarding.bank_accounts o WHERE o.id = $1`,
      [id],
    );
    return row!.isCovered;
  }

  /**
   * Records the provider before the verification begins there, so that after a crash it is not begun elsewhere. Renews
   * the lease.
   * @returns `withdrawn` if the user has withdrawn a required consent, or `on-hold` if the first try must wait: see
   * `isOnHold`; then nothing is recorded
   */
  async recordProvider(
    { id, leaseId }: BankAccount,
    provider: string,
  ): Promise<'recorded' | 'withdrawn' | 'on-hold' | 'lease-lost'> {
    const [row] = await this.database.query<{ refusal: 'withdrawn' | 'on-hold' | null }[]>(
      `UPDATE onboarding.bank_accounts a SET provider = CASE WHEN c.refusal IS NULL THEN $3 ELSE provider END,
              leased_until = now() + make_interval(secs => $4)
         FROM (SELECT CASE WHEN NOT (${COVERED}) THEN 'withdrawn'
                           WHEN o.provider IS NULL AND ${isOnHold('o.user_id')} THEN 'on-hold' END AS refusal
                 FROM onboarding.bank_accounts o WHERE o.id = $1) c
        WHERE a.id = $1 AND a.lease_id = $2 RETURNING c.refusal`,
      [id, leaseId, provider, LEASE_SECONDS],
    );
    if (!row) return 'lease-lost';
    return row.refusal ?? 'recorded';
  }

  /**
   * Makes the next poll of an open verification due now. Providers know our reference without dashes. Ignores ended
   * verifications.
   */
  async makeDue(provider: string, receipt: string): Promise<void> {
    await this.database.execute(
      `UPDATE onboarding.bank_accounts SET next_try_at = now()
        WHERE state IN ('DUE', 'PROCESSING') AND next_try_at > now() AND provider = $1
          AND $2 IN (receipt, replace(idempotency_key::text, '-', ''))`,
      [provider, receipt],
    );
  }

  /** Undoes `recordProvider` after the provider has proved that it did nothing. */
  async forgetProvider({ id, leaseId }: BankAccount): Promise<void> {
    await this.database.execute(
      'UPDATE onboarding.bank_accounts SET provider = NULL WHERE id = $1 AND lease_id = $2',
      [id, leaseId],
    );
  }

  /** Prepares another verification, at any provider, after one that ended without a result. */
  async renewKey(transaction: Transaction, { id }: BankAccount): Promise<void> {
    await transaction.query(
      'UPDATE onboarding.bank_accounts SET provider = NULL, idempotency_key = $2 WHERE id = $1',
      [id, randomUUID()],
    );
  }

  /**
   * Makes a verification that ended without a result due again, as a new one with its own key. The pauses grow, because
   * each try may cost money, and Cashfree blocks an account after more than 15 verifications in 24 hours.
   */
  async putOff(transaction: Transaction, { id, state }: BankAccount): Promise<void> {
    await transaction.query(
      `UPDATE onboarding.bank_accounts
          SET state = $2, idempotency_key = $3, provider = NULL, receipt = NULL, tries = 0,
              next_try_at = now() + (0.75 + random() / 2) *
                least(greatest((now() - due_since) * 2, interval '10 seconds'), interval '6 hours'), ${RELEASED}
        WHERE id = $1`,
      [id, stateAfter(ACCOUNT_TRANSITIONS, state, 'PUT_OFF'), randomUUID()],
    );
  }

  /** Returns the user's id. */
  async settle(transaction: Transaction, id: string, result: AccountResult): Promise<string> {
    const { state, nameAtBank, bankName, match, isCompared, review = null } = result;
    const [row] = await transaction.query<{ userId: string }[]>(
      `UPDATE onboarding.bank_accounts
          SET state = $2, name_at_bank_encrypted = coalesce($3, name_at_bank_encrypted),
              bank_name = coalesce($4, bank_name), name_match = coalesce($5, name_match),
              is_compared = coalesce($6, is_compared), name_review = $7, ${SETTLED}
        WHERE id = $1 RETURNING user_id AS "userId"`,
      [
        id,
        state,
        nameAtBank && this.seal(id, 'name_at_bank', nameAtBank),
        bankName,
        match && JSON.stringify(match),
        isCompared,
        review,
      ],
    );
    return row!.userId;
  }

  private async find(
    where: string,
    parameters: unknown[],
    connection: Queryable = this.database,
  ): Promise<BankAccount | undefined> {
    const [found] = await connection.query<Row[]>(
      `SELECT ${COLUMNS} FROM onboarding.bank_accounts WHERE ${where}`,
      parameters,
    );
    if (!found) return undefined;
    const { sealedAccount, sealedHolder, sealedNameAtBank, ...row } = found;
    const open = (column: Column, sealed: string) => this.cipher.decrypt(sealed, locationOf(row.id, column));
    return {
      ...row,
      ...(JSON.parse(open('account', sealedAccount)) as AccountNumber),
      holder: JSON.parse(open('holder', sealedHolder)) as Holder,
      nameAtBank: sealedNameAtBank && open('name_at_bank', sealedNameAtBank),
    };
  }

  /** Keyed hash for finding an account number. */
  indexOf({ ifsc, account }: AccountNumber): Buffer {
    return this.hash.digest('bank_accounts.account', `${ifsc} ${account}`);
  }

  private sealHolder(id: string, holder: Holder): string {
    return this.seal(id, 'holder', JSON.stringify(holder));
  }

  private seal(id: string, column: Column, plain: string): string {
    return this.cipher.encrypt(plain, locationOf(id, column));
  }
}

type Column = 'account' | 'holder' | 'name_at_bank';

const locationOf = (id: string, column: Column) => ({ table: 'bank_accounts', column, id });
