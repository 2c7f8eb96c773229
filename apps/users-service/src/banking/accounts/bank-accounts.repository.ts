import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import {
  CALL_COLUMNS,
  type CallState,
  DUE_AGAIN,
  HANDED_OVER_AT,
  KeyedHash,
  PiiCipher,
  SETTLED,
} from '../../core/index.js';
import type { NameMatch } from '../name-matching/scoring.js';
import type { BankAccount, GivenAccount, Holder, NamedResult } from './bank-account.js';
import type { AccountState } from './bank.states.js';

/** A verified account as a profile shows it. */
export interface VerifiedBankAccount {
  readonly account: string;
  readonly ifsc: string;
  readonly bankName: string;
}

interface Row extends CallState<AccountState> {
  readonly userId: string;
  readonly sealedAccount: string;
  readonly sealedHolder: string;
  readonly sealedNameAtBank: string | null;
  readonly bankName: string | null;
  readonly match: NameMatch | null;
  readonly isCompared: boolean;
}

const COLUMNS = `${CALL_COLUMNS}, user_id AS "userId", account_encrypted AS "sealedAccount",
  holder_encrypted AS "sealedHolder", name_at_bank_encrypted AS "sealedNameAtBank", bank_name AS "bankName",
  name_match AS "match", is_compared AS "isCompared"`;

type Column = 'account' | 'holder' | 'name_at_bank';

/** Bank accounts and what their banks say of them. Account numbers and names are encrypted. */
@Injectable()
export class BankAccountsRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
  ) {}

  async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  /** Locks the account with this number; undefined when the user has not given it before. */
  async lockByNumber(manager: EntityManager, given: GivenAccount): Promise<BankAccount | undefined> {
    const row = await one(manager, 'user_id = $1 AND account_index = $2 FOR UPDATE', [
      given.userId,
      this.indexOf(given),
    ]);
    return row && this.read(row);
  }

  /** The caller has locked the user and found no such account. */
  async create(manager: EntityManager, given: GivenAccount): Promise<BankAccount> {
    const { userId, account, ifsc, holderName } = given;
    const id = uuidv7();
    const [row] = await manager.query<Row[]>(
      `INSERT INTO onboarding.bank_accounts
         (id, user_id, account_index, account_encrypted, holder_encrypted, idempotency_key, next_try_at)
       VALUES ($1, $2, $3, $4, $5, $6, ${HANDED_OVER_AT})
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

  async findById(id: string, manager: EntityManager = this.dataSource.manager): Promise<BankAccount> {
    return this.read((await one(manager, 'id = $1', [id]))!);
  }

  async findByUserAndId(userId: string, id: string): Promise<BankAccount | undefined> {
    const row = await one(this.dataSource.manager, 'id = $1 AND user_id = $2', [id, userId]);
    return row && this.read(row);
  }

  /** The account that the user gave last of those verified and compared with the PAN; its number is not masked. */
  async findVerifiedByUserId(userId: string): Promise<VerifiedBankAccount | undefined> {
    const row = await one(
      this.dataSource.manager,
      "user_id = $1 AND state = 'VERIFIED' AND is_compared ORDER BY asked_at DESC, id DESC LIMIT 1",
      [userId],
    );
    if (!row) return undefined;
    const { account, ifsc, bankName } = this.read(row);
    return { account, ifsc, bankName: bankName! };
  }

  /** Id of the account that the user gave last, if it is not refused and no registration of it was requested. */
  async findUnregisteredId(
    userId: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<string | undefined> {
    const [row] = await manager.query<{ id: string; is_unregistered: boolean }[]>(
      `SELECT id, state IN ('DUE', 'PROCESSING', 'VERIFIED') AND NOT EXISTS
                (SELECT 1 FROM onboarding.bank_syncs WHERE account_id = bank_accounts.id) AS is_unregistered
         FROM onboarding.bank_accounts WHERE user_id = $1 ORDER BY asked_at DESC, id DESC LIMIT 1`,
      [userId],
    );
    return row?.is_unregistered ? row.id : undefined;
  }

  async lockById(manager: EntityManager, id: string): Promise<BankAccount> {
    return this.read((await one(manager, 'id = $1 FOR UPDATE', [id]))!);
  }

  /** Records the holder's name as the user gives it now, and that this account is the one given last. */
  async recordClaimedHolder(
    manager: EntityManager,
    { id, holder }: BankAccount,
    claimed: string,
  ): Promise<void> {
    await manager.query(
      'UPDATE onboarding.bank_accounts SET holder_encrypted = $2, asked_at = now() WHERE id = $1',
      [id, this.sealHolder(id, { ...holder, claimed })],
    );
  }

  /**
   * Makes an account due again.
   * @param isNew whether this is another verification, with its own key, or the same one, whose outcome is unknown
   */
  async reopen(
    manager: EntityManager,
    { id, holder, idempotencyKey }: BankAccount,
    { state, claimed, isNew }: { state: AccountState; claimed: string; isNew: boolean },
  ): Promise<void> {
    await manager.query(
      `UPDATE onboarding.bank_accounts
          SET state = $2, holder_encrypted = $3, idempotency_key = $4, asked_at = now(), ${DUE_AGAIN}
        WHERE id = $1`,
      [
        id,
        state,
        this.sealHolder(id, isNew ? { sent: claimed, claimed } : { ...holder, claimed }),
        isNew ? randomUUID() : idempotencyKey,
      ],
    );
  }

  async settleWithName(manager: EntityManager, id: string, result: NamedResult): Promise<void> {
    await manager.query(
      `UPDATE onboarding.bank_accounts
          SET state = $2, name_at_bank_encrypted = $3, bank_name = $4, name_match = $5, is_compared = $6, ${SETTLED}
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

  /** Settles an account without a holder's name. Returns the user's id. */
  async settleWithoutName(
    manager: EntityManager,
    id: string,
    { state, bankName }: { state: AccountState; bankName: string | null },
  ): Promise<string> {
    const [[row]] = await manager.query<[{ user_id: string }[], number]>(
      `UPDATE onboarding.bank_accounts SET state = $2, bank_name = coalesce($3, bank_name), ${SETTLED}
        WHERE id = $1 RETURNING user_id`,
      [id, state, bankName],
    );
    return row!.user_id;
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

  private read({ sealedAccount, sealedHolder, sealedNameAtBank, ...row }: Row): BankAccount {
    const open = (column: Column, sealed: string) => this.cipher.decrypt(sealed, locationOf(row.id, column));
    return {
      ...row,
      ...(JSON.parse(open('account', sealedAccount)) as { account: string; ifsc: string }),
      holder: JSON.parse(open('holder', sealedHolder)) as Holder,
      nameAtBank: sealedNameAtBank && open('name_at_bank', sealedNameAtBank),
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
