import { ProviderError } from '@fd/errors';
import {
  type AccountFinding,
  type AccountToVerify,
  type BankAccounts,
  bankOf,
} from '../../bank-accounts.port.js';
import type { SetuBankClient } from './setu-bank.client.js';
import { endOf } from './setu-bank.table.js';

/** Bank account verification by Setu. See the README beside this file. */
export class SetuBankAdapter implements BankAccounts {
  readonly name: string;
  readonly isInteractive = false;

  constructor(private readonly client: SetuBankClient) {
    this.name = client.client.name;
  }

  async begin({ account, ifsc }: AccountToVerify): Promise<AccountFinding> {
    return { state: 'processing', receipt: await this.client.begin({ accountNumber: account, ifsc }) };
  }

  /** The vendor accepts no reference of ours, so a lost start cannot be looked up. */
  async find(): Promise<never> {
    const detail = 'a start got no answer, and cannot be looked up';
    return Promise.reject(new ProviderError(this.name, 'timeout', { detail }));
  }

  async outcome(given: AccountToVerify, id: string): Promise<AccountFinding> {
    const found = await this.client.find(id);
    if (found.verification === 'pending') return { state: 'processing', receipt: id };
    const bankName = bankOf(given);
    if (found.verification === 'success') return { state: 'valid', nameAtBank: found.data.name, bankName };
    const state = endOf(found);
    if (state === undefined) throw this.client.client.malformed('account-verification', 'text of BAVM1');
    return state === 'put-off' ? { state } : { state, bankName };
  }
}
