import { ProviderError } from '@fd/errors';
import {
  type AccountFinding,
  type AccountToVerify,
  type BankAccounts,
  bankOf,
  ended,
  unnamed,
} from '../../bank-accounts.port.js';
import type { SetuBankClient } from './setu-bank.client.js';

/** Bank account verification by Setu. See the README beside this file. */
export class SetuBankAdapter implements BankAccounts {
  readonly name: string;
  readonly isInteractive = false;

  constructor(private readonly client: SetuBankClient) {
    this.name = client.client.name;
  }

  async begin(given: AccountToVerify): Promise<AccountFinding> {
    const begun = await this.client.begin({ accountNumber: given.account, ifsc: given.ifsc });
    return 'id' in begun ? { state: 'processing', receipt: begun.id } : ended(begun.end, bankOf(given));
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
    if (found.verification === 'failed') return ended(found.end, bankName);
    const nameAtBank = found.data?.name;
    return nameAtBank ? { state: 'valid', nameAtBank, bankName } : unnamed(bankName);
  }
}
