import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import {
  type CallState,
  DUE_AGAIN,
  HANDED_OVER_AT,
  KeyedHash,
  LEASE_SECONDS,
  PiiCipher,
  RELEASED,
  SETTLED,
  stateAfter,
} from '../../core/index.js';
import { UsersRepository } from '../../identity/index.js';
import { IdentitiesRepository, type NameMatch, PanHolder } from '../../kyc/index.js';
import { BankAccountRow } from './bank-account.entity.js';
import { BankSync } from './bank-sync.entity.js';
import {
  ACCOUNT_TRANSITIONS,
  type AccountState,
  IS_MISMATCH_IN_REVIEW,
  isAnotherVerification,
  isToBeVerifiedAgain,
  type NameReview,
} from './bank.states.js';

export interface GivenAccount {
  readonly userId: string;
  readonly account: string;
  readonly ifsc: string;
  readonly holderName: string;
  /** Whether an operator is to look at names that differ. */
  readonly isReviewAsked?: boolean;
}

type AccountNumber = Pick<GivenAccount, 'ifsc' | 'account'>;

/** One account, however it is written: banks accept any branch's IFSC and drop leading zeros. */
const withoutBranch = ({ ifsc, account }: AccountNumber): AccountNumber => ({
  ifsc: ifsc.slice(0, 4),
  account: account.replace(/^0+/, ''),
});

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
  /** Sent with every try, so that the provider acts once. */
  readonly idempotencyKey: string;
  /** The provider's own id of a verification that it has accepted. */
  readonly receipt: string | null;
  /** Provider where the verification with the current key was begun, or may have been; null if none. */
  readonly provider: string | null;
  /** Whether the user has asked for a review of the claimed name, should it differ. */
  readonly isReviewAsked: boolean;
}

/** Omitted fields stay as they are, except the review: a new comparison clears it. */
export type AccountResult = Pick<BankAccount, 'state'> & Partial<Verified>;

const COMPARED_AT_ONCE = 50;

const FOR_UPDATE = { mode: 'pessimistic_write' } as const;

/** Bank accounts and the answers of their banks. Account numbers and names are encrypted. */
@Injectable()
export class BankAccountsRepository {
  constructor(
    @InjectRepository(BankAccountRow) private readonly rows: Repository<BankAccountRow>,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
    private readonly users: UsersRepository,
    private readonly identities: IdentitiesRepository,
  ) {}

  async findById(id: string, tx: EntityManager = this.rows.manager): Promise<BankAccount> {
    return this.opened(await tx.findOneByOrFail(BankAccountRow, { id }));
  }

  async findByUserAndId(userId: string, id: string): Promise<BankAccount | undefined> {
    const row = await this.rows.findOneBy({ id, userId });
    return row ? this.opened(row) : undefined;
  }

  /** Id of the user's latest account, unless it was refused or its registration was requested. */
  async findUnregisteredId(
    userId: string,
    tx: EntityManager = this.rows.manager,
  ): Promise<string | undefined> {
    const latest = await tx
      .createQueryBuilder(BankAccountRow, 'a')
      .leftJoin(BankSync, 's', 's.accountId = a.id')
      .select('a.id', 'id')
      .addSelect(
        `(a.state IN ('DUE', 'PROCESSING', 'VERIFIED') OR ${IS_MISMATCH_IN_REVIEW}) AND s.id IS NULL`,
        'isUnregistered',
      )
      .where('a.userId = :userId', { userId })
      .orderBy('a.askedAt', 'DESC')
      .addOrderBy('a.id', 'DESC')
      .limit(1)
      .getRawOne<{ id: string; isUnregistered: boolean }>();
    return latest?.isUnregistered ? latest.id : undefined;
  }

  /** Ids of verified accounts that were not compared with the user's newer PAN, a batch. */
  async findUncomparedIds(): Promise<string[]> {
    const rows = await this.rows
      .createQueryBuilder('a')
      .innerJoin(PanHolder, 'h', 'h.userId = a.userId')
      .select('a.id', 'id')
      .where("a.state = 'VERIFIED' AND NOT a.isCompared")
      .orderBy('a.askedAt', 'DESC')
      .limit(COMPARED_AT_ONCE)
      .getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  /** The account with this number; undefined if it is new. */
  async findByNumber(given: GivenAccount): Promise<BankAccount | undefined> {
    const row = await this.rows.findOneBy(this.withNumber(given));
    return row ? this.opened(row) : undefined;
  }

  async lockByNumber(tx: EntityManager, given: GivenAccount): Promise<BankAccount | undefined> {
    const row = await tx.findOne(BankAccountRow, { where: this.withNumber(given), lock: FOR_UPDATE });
    return row ? this.opened(row) : undefined;
  }

  private withNumber(given: GivenAccount) {
    return { userId: given.userId, accountIndex: this.indexOf(given) };
  }

  async lockById(tx: EntityManager, id: string): Promise<BankAccount> {
    return this.opened(await tx.findOneOrFail(BankAccountRow, { where: { id }, lock: FOR_UPDATE }));
  }

  /** Whether an operator has refused this account of the user as another person's, under any branch or leading zeros. */
  async isRefused(tx: EntityManager, account: BankAccount): Promise<boolean> {
    if (account.review === 'REFUSED') return true;
    const refused = await tx.findBy(BankAccountRow, { userId: account.userId, nameReview: 'REFUSED' });
    const number = JSON.stringify(withoutBranch(account));
    return refused.some((row) => JSON.stringify(withoutBranch(this.opened(row))) === number);
  }

  /** Locks the user, whose mismatches are counted, and then as `lockWithIdentity`. */
  async lockWithUser(tx: EntityManager, of: Pick<BankAccount, 'id' | 'userId'>): Promise<BankAccount> {
    await this.users.lock(tx, of.userId);
    return this.lockWithIdentity(tx, of);
  }

  /**
   * Locks the user's identity and then the account, for a comparison with the PAN's name. A comparison that read the name
   * earlier could overwrite the effect of a release of the PAN.
   */
  async lockWithIdentity(
    tx: EntityManager,
    { id, userId }: Pick<BankAccount, 'id' | 'userId'>,
  ): Promise<BankAccount> {
    await this.identities.lock(tx, userId);
    return this.lockById(tx, id);
  }

  /** The caller has locked the user and found no such account. Returns the account's id. */
  async create(tx: EntityManager, given: GivenAccount): Promise<string> {
    const { userId, account, ifsc, holderName, isReviewAsked = false } = given;
    const id = uuidv7();
    await tx.insert(BankAccountRow, {
      ...{
        id,
        userId,
        isReviewAsked,
        accountIndex: this.indexOf(given),
        idempotencyKey: randomUUID(),
        provider: null,
      },
      accountEncrypted: this.seal(id, 'account', JSON.stringify({ account, ifsc })),
      holderEncrypted: this.sealHolder(id, { sent: holderName, claimed: holderName }),
      nextTryAt: HANDED_OVER_AT,
    });
    return id;
  }

  /**
   * Records the holder's name, whether a review of it was asked for, and that this account is the latest one. An account to be verified again becomes due: as
   * a new verification with its own key, or as the same one, if its outcome is unknown.
   */
  async giveAgain(
    tx: EntityManager,
    account: BankAccount,
    claimed: string,
    isReviewAsked: boolean,
  ): Promise<void> {
    const { id, state, holder, idempotencyKey, provider } = account;
    const isDue = isToBeVerifiedAgain(account);
    // without a provider the current key has had no effect
    const hasNewKey = isAnotherVerification(account) && provider !== null;
    const holderEncrypted = this.sealHolder(id, { sent: hasNewKey ? claimed : holder.sent, claimed });
    await tx.update(
      BankAccountRow,
      { id },
      {
        ...(isDue ? { ...DUE_AGAIN, receipt: null } : {}),
        ...{ holderEncrypted, isReviewAsked, askedAt: () => 'now()' },
        state: isDue ? stateAfter(ACCOUNT_TRANSITIONS, state, 'ASKED_AGAIN') : state,
        idempotencyKey: hasNewKey ? randomUUID() : idempotencyKey,
        provider: hasNewKey ? null : provider,
      },
    );
  }

  /**
   * Records the provider before the verification begins there, so that after a crash it is not begun elsewhere. Renews
   * the lease.
   * @returns false if the lease was lost
   */
  async recordProvider({ id, leaseId }: BankAccount, provider: string): Promise<boolean> {
    const leasedUntil = (): string => `now() + make_interval(secs => ${LEASE_SECONDS})`;
    const { affected } = await this.rows.update({ id, leaseId: leaseId! }, { provider, leasedUntil });
    return affected === 1;
  }

  /**
   * Makes the next poll of an open verification due now. Providers know our reference without dashes. Ignores ended
   * verifications.
   */
  async makeDue(provider: string, receipt: string): Promise<void> {
    await this.rows
      .createQueryBuilder()
      .update()
      .set({ nextTryAt: () => 'now()' })
      .where("state IN ('DUE', 'PROCESSING') AND next_try_at > now() AND provider = :provider")
      .andWhere(":receipt IN (receipt, replace(idempotency_key::text, '-', ''))")
      .setParameters({ provider, receipt })
      .execute();
  }

  /** Undoes `recordProvider` after the provider has proved that it did nothing. */
  async forgetProvider({ id, leaseId }: BankAccount): Promise<void> {
    await this.rows.update({ id, leaseId: leaseId! }, { provider: null });
  }

  /** Prepares another verification, at any provider, after one that ended without a result. */
  async renewKey(tx: EntityManager, { id }: BankAccount): Promise<void> {
    await tx.update(BankAccountRow, { id }, { provider: null, idempotencyKey: randomUUID() });
  }

  /**
   * Makes a verification that ended without a result due again, as a new one with its own key. The pauses grow, because
   * each try may cost money, and Cashfree blocks an account after more than 15 verifications in 24 hours.
   */
  async putOff(tx: EntityManager, { id, state }: BankAccount): Promise<void> {
    await tx.update(
      BankAccountRow,
      { id },
      {
        ...{ ...RELEASED, tries: 0, provider: null, receipt: null, idempotencyKey: randomUUID() },
        state: stateAfter(ACCOUNT_TRANSITIONS, state, 'PUT_OFF'),
        nextTryAt: () =>
          "now() + (0.75 + random() / 2) * least(greatest((now() - due_since) * 2, interval '10 seconds'), interval '6 hours')",
      },
    );
  }

  /** Decrypts nothing. @returns the user's id */
  async settle(tx: EntityManager, id: string, result: AccountResult): Promise<string> {
    const { state, nameAtBank, bankName, match, isCompared, review = null } = result;
    const settled = await tx
      .createQueryBuilder()
      .update(BankAccountRow)
      .set({
        ...{ ...SETTLED, state, isCompared, nameReview: review },
        bankName: bankName ?? undefined,
        nameMatch: match ?? undefined,
        nameAtBankEncrypted: nameAtBank ? this.seal(id, 'name_at_bank', nameAtBank) : undefined,
      })
      .where({ id })
      .returning('user_id')
      .execute();
    const [{ user_id }] = settled.raw as [{ user_id: string }];
    return user_id;
  }

  private opened(row: BankAccountRow): BankAccount {
    const { id, accountEncrypted, holderEncrypted, nameAtBankEncrypted, nameMatch, nameReview } = row;
    const open = (column: Column, sealed: string) => this.cipher.decrypt(sealed, locationOf(id, column));
    return {
      ...row,
      ...(JSON.parse(open('account', accountEncrypted)) as AccountNumber),
      holder: JSON.parse(open('holder', holderEncrypted)) as Holder,
      nameAtBank: nameAtBankEncrypted && open('name_at_bank', nameAtBankEncrypted),
      match: nameMatch,
      review: nameReview,
    };
  }

  /** What counts mismatched names: of one account, however it is written. */
  countedNumber({ userId, ...given }: AccountNumber & Pick<GivenAccount, 'userId'>) {
    return { userId, accountIndex: this.indexOf(withoutBranch(given)) };
  }

  /** Keyed hash for finding an account number. */
  private indexOf({ ifsc, account }: AccountNumber): Buffer {
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
