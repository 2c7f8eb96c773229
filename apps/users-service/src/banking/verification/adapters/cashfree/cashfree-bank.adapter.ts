import { ProviderError } from '@fd/errors';
import {
  type AccountFinding,
  type AccountToVerify,
  type BankAccounts,
  bankOf,
  ended,
  unnamed,
} from '../../bank-accounts.port.js';
import type { CashfreeBankClient, CashfreeVerification } from './cashfree-bank.client.js';
import { endOf } from './cashfree-bank.table.js';

/** Bank account verification by Cashfree. See the README beside this file. */
export class CashfreeBankAdapter implements BankAccounts {
  readonly name: string;
  readonly isInteractive = false;

  constructor(private readonly client: CashfreeBankClient) {
    this.name = client.client.name;
  }

  async begin(given: AccountToVerify, reference: string): Promise<AccountFinding> {
    const userId = userIdOf(reference);
    // without the holder's name: the service compares names itself
    const answer = await this.client.begin({ bank_account: given.account, ifsc: given.ifsc }, userId);
    switch (answer.kind) {
      case 'begun':
        return this.findingOf(answer.verification, given, userId);
      case 'known':
        return this.outcome(given, userId).catch((cause: unknown) => {
          // the penny has been sent, whatever the answer to the poll
          throw new ProviderError(this.name, 'timeout', { detail: 'begun before', cause });
        });
      case 'running':
        return this.ofRunning(given, reference);
      case 'not-begun':
        return ended(answer.end, bankOf(given));
    }
  }

  async find(given: AccountToVerify, reference: string): Promise<AccountFinding | undefined> {
    const userId = userIdOf(reference);
    const found = await this.client.find(userId);
    return found && this.findingOf(found, given, userId);
  }

  /** @param userId our reference and the receipt. A verification that Cashfree accepted and lost may have been charged. */
  async outcome(given: AccountToVerify, userId: string): Promise<AccountFinding> {
    const found = await this.client.find(userId);
    if (found) return this.findingOf(found, given, userId);
    throw this.client.client.malformed('account-verification', 'a known reference is not known');
  }

  /**
   * A verification that runs may be ours. If it is not found, the next try looks for it again and starts with the same
   * `user_id`: neither a new one nor another provider may send a second penny meanwhile.
   */
  private async ofRunning(given: AccountToVerify, reference: string): Promise<AccountFinding> {
    const found = await this.find(given, reference).catch(() => undefined);
    if (found) return found;
    throw new ProviderError(this.name, 'timeout', { detail: 'another verification of the account runs' });
  }

  private async findingOf(
    found: CashfreeVerification,
    given: AccountToVerify,
    userId: string,
  ): Promise<AccountFinding> {
    const bankName = ('bank_name' in found ? found.bank_name : null) ?? bankOf(given);
    switch (found.account_status) {
      case 'VALID':
        return found.name_at_bank
          ? { state: 'valid', nameAtBank: found.name_at_bank, bankName }
          : unnamed(bankName);
      case 'INVALID':
      case 'FAILED':
        return ended(found.account_status_code, bankName);
      case 'REJECTED':
      case 'CANCELLED':
      case 'MANUALLY_REJECTED':
        return this.rejected(found.account_status_code ?? '', bankName);
      case 'RECEIVED':
      case 'PROCESSING':
      case 'IN_PROCESS':
      case 'APPROVAL_PENDING':
      case 'PARTIALLY_APPROVED':
        return { state: 'processing', receipt: userId };
    }
  }

  /** A rejection without a known code says nothing about the account, and is final. */
  private async rejected(code: string, bankName: string): Promise<AccountFinding> {
    if (code.toUpperCase() !== 'INSUFFICIENT_BALANCE') return ended(endOf(code) ?? 'no-result', bankName);
    await this.client.reportEmptyWallet();
    return { state: 'put-off' };
  }
}

/** Cashfree allows letters, digits and underscores. */
const userIdOf = (reference: string): string => reference.replaceAll('-', '');
