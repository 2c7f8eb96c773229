import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '@fd/platform';
import { CALL_COLUMNS, type CallState, SETTLED } from '../../core/index.js';
import type { WithdrawalState } from './bank-withdrawal.entity.js';

/** The withdrawal of another person's account at an issuer. */
export interface Withdrawal extends CallState<WithdrawalState> {
  readonly accountId: string;
  readonly issuerSlug: string;
  /** The issuer's id of the registration. */
  readonly reference: string;
}

const COLUMNS = `${CALL_COLUMNS}, account_id AS "accountId", issuer_slug AS "issuerSlug", reference`;

/** Withdrawals of bank accounts at issuers. `RegistrationsRepository` requests them. */
@Injectable()
export class WithdrawalsRepository {
  constructor(private readonly database: Database) {}

  async findById(id: string): Promise<Withdrawal> {
    return find(this.database, 'id = $1', id);
  }

  async lockById(transaction: Transaction, id: string): Promise<Withdrawal> {
    return find(transaction, 'id = $1 FOR UPDATE', id);
  }

  async settle(transaction: Transaction, id: string, result: Exclude<WithdrawalState, 'DUE'>): Promise<void> {
    await transaction.query(`UPDATE onboarding.bank_withdrawals SET state = $2, ${SETTLED} WHERE id = $1`, [
      id,
      result,
    ]);
  }
}

async function find(connection: Queryable, where: string, id: string): Promise<Withdrawal> {
  const [withdrawal] = await connection.query<[Withdrawal]>(
    `SELECT ${COLUMNS} FROM onboarding.bank_withdrawals WHERE ${where}`,
    [id],
  );
  return withdrawal;
}
