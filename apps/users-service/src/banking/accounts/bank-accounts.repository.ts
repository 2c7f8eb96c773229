import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { NameMatch } from '../name-matching/index.js';
import { KeyedHash, PiiCipher } from '../../core/index.js';
import type { BankAccount, BankAccountState, GivenAccount, Holder, NamedResult } from './bank-account.js';
import type { Lease } from './bank-leases.repository.js';
import { GIVE_UP_SECONDS, HAND_OVER_SECONDS, REFUSAL_SECONDS } from './bank.policy.js';
import type { AccountState } from './bank.states.js';

/** A verified account as a profile shows it. */
export interface VerifiedBankAccount {
  readonly account: string;
  readonly ifsc: string;
  readonly bankName: string;
}

interface Row {
  id: string;
  user_id: string;
  state: AccountState;
  account_encrypted: string;
  holder_encrypted: string;
  name_at_bank_encrypted: string | null;
  bank_name: string | null;
  name_match: NameMatch | null;
  is_compared: boolean;
  idempotency_key: string;
  receipt: string | null;
  tries: number;
  is_leased: boolean;
  is_cooled: boolean;
  is_overdue: boolean;
}

const COLUMNS = `
  id, user_id, state, account_encrypted, holder_encrypted, name_at_bank_encrypted, bank_name, name_match,
  is_compared, idempotency_key, receipt, tries, coalesce(leased_until > now(), false) AS is_leased,
  coalesce(settled_at < now() - make_interval(secs => ${REFUSAL_SECONDS}), false) AS is_cooled,
  due_since < now() - make_interval(secs => ${GIVE_UP_SECONDS}) AS is_overdue`;

const FREED = 'lease_id = NULL, leased_until = NULL';

type Column = 'account' | 'holder' | 'name_at_bank';

/** Bank accounts and what their banks say of them. Whatever names the account or its holder is encrypted. */
@Injectable()
export class BankAccountsRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
  ) {}

  /** The user's account, locked; undefined when it has not been given before. */
  async lockGiven(manager: EntityManager, given: GivenAccount): Promise<BankAccount | undefined> {
    const row = await one(manager, 'user_id = $1 AND account_index = $2 FOR UPDATE', [
      given.userId,
      this.indexOf(given),
    ]);
    return row && this.read(row);
  }

  /** The caller holds the user, and has seen that the account is new. */
  async create(manager: EntityManager, given: GivenAccount): Promise<BankAccount> {
    const { userId, account, ifsc, holderName } = given;
    const id = uuidv7();
    const [row] = await manager.query<Row[]>(
      `INSERT INTO onboarding.bank_accounts
         (id, user_id, account_index, account_encrypted, holder_encrypted, idempotency_key, next_try_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => ${HAND_OVER_SECONDS}))
       RETURNING ${COLUMNS}`,
      [
        id,
        userId,
        this.indexOf(given),
        this.seal(id, 'account', JSON.stringify({ account, ifsc })),
        this.seal(id, 'holder', JSON.stringify({ sent: holderName, claimed: holderName })),
        randomUUID(),
      ],
    );
    return this.read(row!);
  }

  async find(id: string, manager: EntityManager = this.dataSource.manager): Promise<BankAccount | undefined> {
    const row = await one(manager, 'id = $1', [id]);
    return row && this.read(row);
  }

  async findOfUser(userId: string, id: string): Promise<BankAccount | undefined> {
    const row = await one(this.dataSource.manager, 'id = $1 AND user_id = $2', [id, userId]);
    return row && this.read(row);
  }

  /** The account that the user gave last of those that are verified for good; its number is not masked yet. */
  async verifiedOf(userId: string): Promise<VerifiedBankAccount | undefined> {
    const row = await one(
      this.dataSource.manager,
      "user_id = $1 AND state = 'VERIFIED' AND is_compared ORDER BY asked_at DESC, id DESC LIMIT 1",
      [userId],
    );
    if (!row) return undefined;
    const { account, ifsc, bankName } = this.read(row);
    return { account, ifsc, bankName: bankName! };
  }

  /** Id of the account that the user gave last, if it is verified or may be yet and no issuer was named for it. */
  async unclaimedOf(
    userId: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<string | undefined> {
    const [row] = await manager.query<{ id: string; is_unclaimed: boolean }[]>(
      `SELECT id, state IN ('DUE', 'PROCESSING', 'VERIFIED') AND NOT EXISTS
                (SELECT 1 FROM onboarding.bank_syncs WHERE account_id = bank_accounts.id) AS is_unclaimed
         FROM onboarding.bank_accounts WHERE user_id = $1 ORDER BY asked_at DESC, id DESC LIMIT 1`,
      [userId],
    );
    return row?.is_unclaimed ? row.id : undefined;
  }

  /** Locks a leased account, as it is now; undefined when the lease has passed to somebody else. */
  async lockLeased(manager: EntityManager, { id, leaseId }: Lease): Promise<BankAccount | undefined> {
    const row = await one(manager, 'id = $1 AND lease_id = $2 FOR UPDATE', [id, leaseId]);
    return row && this.read(row);
  }

  async lock(manager: EntityManager, id: string): Promise<BankAccount> {
    return this.read((await one(manager, 'id = $1 FOR UPDATE', [id]))!);
  }

  /** As `lock`, also for an account that cannot be read. */
  async lockState(manager: EntityManager, id: string): Promise<BankAccountState> {
    const row = await one(manager, 'id = $1 FOR UPDATE', [id]);
    const { user_id: userId, state, is_leased: isLeased, is_overdue: isOverdue } = row!;
    return { id, userId, state, isLeased, isOverdue };
  }

  /** Notes who the user says the holder is, and that the account is the one that matters to the user now. */
  async noteClaim(manager: EntityManager, { id, holder }: BankAccount, claimed: string): Promise<void> {
    await manager.query(
      'UPDATE onboarding.bank_accounts SET holder_encrypted = $2, asked_at = now() WHERE id = $1',
      [id, this.sealHolder(id, { ...holder, claimed })],
    );
  }

  /**
   * Makes an account due again.
   * @param isNew whether it is another verification, with a key of its own, or the same one, whose outcome is open
   */
  async reopen(
    manager: EntityManager,
    { id, holder, idempotencyKey }: BankAccount,
    { state, claimed, isNew }: { state: AccountState; claimed: string; isNew: boolean },
  ): Promise<void> {
    await manager.query(
      `UPDATE onboarding.bank_accounts
          SET state = $2, holder_encrypted = $3, idempotency_key = $4, receipt = NULL, tries = 0,
              next_try_at = now() + make_interval(secs => ${HAND_OVER_SECONDS}), due_since = now(),
              asked_at = now(), settled_at = NULL, ${FREED}
        WHERE id = $1`,
      [
        id,
        state,
        this.sealHolder(id, isNew ? { sent: claimed, claimed } : { ...holder, claimed }),
        isNew ? randomUUID() : idempotencyKey,
      ],
    );
  }

  /** The bank is at work, or has forgotten that it was: the account stays open and is looked at again later. */
  async keepOpen(
    manager: EntityManager,
    id: string,
    next: { state: AccountState; receipt: string | null; tries: number; seconds: number },
  ): Promise<void> {
    await manager.query(
      `UPDATE onboarding.bank_accounts
          SET state = $2, receipt = $3, tries = $4, next_try_at = now() + make_interval(secs => $5), ${FREED}
        WHERE id = $1`,
      [id, next.state, next.receipt, next.tries, next.seconds],
    );
  }

  async settleNamed(manager: EntityManager, id: string, result: NamedResult): Promise<void> {
    await manager.query(
      `UPDATE onboarding.bank_accounts
          SET state = $2, name_at_bank_encrypted = $3, bank_name = $4, name_match = $5, is_compared = $6, tries = 0,
              settled_at = now(), ${FREED}
        WHERE id = $1`,
      [
        id,
        result.state,
        this.seal(id, 'name_at_bank', result.nameAtBank),
        result.bankName,
        JSON.stringify(result.match),
        result.isCompared,
      ],
    );
  }

  /** An end without a holder's name. */
  async settle(
    manager: EntityManager,
    id: string,
    { state, bankName }: { state: AccountState; bankName: string | null },
  ): Promise<void> {
    await manager.query(
      `UPDATE onboarding.bank_accounts
          SET state = $2, bank_name = coalesce($3, bank_name), tries = 0, settled_at = now(), ${FREED}
        WHERE id = $1`,
      [id, state, bankName],
    );
  }

  private indexOf({ ifsc, account }: GivenAccount): Buffer {
    return this.hash.of('bank_accounts.account', `${ifsc} ${account}`);
  }

  private sealHolder(id: string, holder: Holder): string {
    return this.seal(id, 'holder', JSON.stringify(holder));
  }

  private seal(id: string, column: Column, plain: string): string {
    return this.cipher.encrypt(plain, locationOf(id, column));
  }

  private read(row: Row): BankAccount {
    const open = (column: Column, sealed: string) => this.cipher.decrypt(sealed, locationOf(row.id, column));
    return {
      ...(JSON.parse(open('account', row.account_encrypted)) as { account: string; ifsc: string }),
      id: row.id,
      userId: row.user_id,
      state: row.state,
      holder: JSON.parse(open('holder', row.holder_encrypted)) as Holder,
      nameAtBank: row.name_at_bank_encrypted && open('name_at_bank', row.name_at_bank_encrypted),
      bankName: row.bank_name,
      match: row.name_match,
      isCompared: row.is_compared,
      idempotencyKey: row.idempotency_key,
      receipt: row.receipt,
      tries: row.tries,
      isLeased: row.is_leased,
      isCooled: row.is_cooled,
      isOverdue: row.is_overdue,
    };
  }
}

async function one(manager: EntityManager, where: string, parameters: unknown[]): Promise<Row | undefined> {
  const [row] = await manager.query<Row[]>(
    `SELECT ${COLUMNS} FROM onboarding.bank_accounts WHERE ${where}`,
    parameters,
  );
  return row;
}

const locationOf = (id: string, column: Column) => ({ table: 'bank_accounts', column, id });
