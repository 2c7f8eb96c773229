import { ProviderError } from '@fd/errors';
import {
  type AccountFinding,
  type AccountToVerify,
  type BankAccounts,
  bankOf,
} from '../../bank-accounts.port.js';
import type { CashfreeBankClient, CashfreeVerification } from './cashfree-bank.client.js';

/** The vendor does not distinguish closed and unknown accounts. */
const REFUSALS = {
  INVALID_ACCOUNT_FAIL: 'no-such-account',
  INVALID_IFSC_FAIL: 'no-such-account',
  ACCOUNT_BLOCKED: 'frozen',
  FRAUD_ACCOUNT: 'frozen',
  NRE_ACCOUNT_FAIL: 'not-usable',
} as const;

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
      case 'not-begun':
        return answer.code === 'fraud_account'
          ? { state: 'frozen', bankName: bankOf(given) }
          : { state: 'put-off' };
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

  private async findingOf(
    found: CashfreeVerification,
    given: AccountToVerify,
    userId: string,
  ): Promise<AccountFinding> {
    switch (found.account_status) {
      case 'VALID':
        return {
          state: 'valid',
          nameAtBank: found.name_at_bank,
          bankName: found.bank_name ?? bankOf(given),
        };
      case 'INVALID':
        return { state: REFUSALS[found.account_status_code], bankName: found.bank_name ?? bankOf(given) };
      case 'FAILED':
      case 'REJECTED':
      case 'CANCELLED':
      case 'MANUALLY_REJECTED':
        if (found.account_status_code === 'INSUFFICIENT_BALANCE') await this.client.reportEmptyWallet();
        return { state: 'put-off' };
      case 'RECEIVED':
      case 'PROCESSING':
      case 'IN_PROCESS':
      case 'APPROVAL_PENDING':
      case 'PARTIALLY_APPROVED':
        return { state: 'processing', receipt: userId };
    }
  }
}

/** Cashfree allows letters, digits and underscores. */
const userIdOf = (reference: string): string => reference.replaceAll('-', '');
