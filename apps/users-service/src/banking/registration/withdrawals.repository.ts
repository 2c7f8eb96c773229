import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { SETTLED } from '../../core/index.js';
import { BankWithdrawal, type WithdrawalState } from '../accounts/bank-withdrawal.entity.js';

/** Withdrawals of bank accounts at issuers. `RegistrationsRepository` requests them. */
@Injectable()
export class WithdrawalsRepository {
  constructor(@InjectRepository(BankWithdrawal) private readonly rows: Repository<BankWithdrawal>) {}

  async findById(id: string): Promise<BankWithdrawal> {
    return this.rows.findOneByOrFail({ id });
  }

  async lockById(tx: EntityManager, id: string): Promise<BankWithdrawal> {
    return tx.findOneOrFail(BankWithdrawal, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async settle(tx: EntityManager, id: string, state: Exclude<WithdrawalState, 'DUE'>): Promise<void> {
    await tx.update(BankWithdrawal, { id }, { ...SETTLED, state });
  }
}
