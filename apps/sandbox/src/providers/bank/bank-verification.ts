import { otherNameThan } from '../holder.js';
import type { BankFinding } from './bank-checks.service.js';
import { bankNameOf } from './bank-names.table.js';

interface BankAccount {
  readonly account_number: string;
  readonly ifsc: string;
  readonly holder_name: string;
}

/** A verification and the moment at which its result is known. */
export interface BankVerification {
  readonly id: string;
  readonly account: BankAccount;
  /** Undefined for a good account. */
  readonly finding: BankFinding | undefined;
  readonly completeAt: Date;
}

/** Returns the bank's answer at a moment: the result, or that the bank is still working. */
export function bankVerificationAt(verification: BankVerification, now: Date): object {
  const { id, account, finding } = verification;
  if (!isComplete(verification, now)) return { verification_id: id, status: 'PROCESSING' };
  return {
    verification_id: id,
    status: 'COMPLETED',
    ...resultOf(account, finding),
    bank_name: bankNameOf(account.ifsc),
  };
}

export function isComplete({ completeAt }: BankVerification, now: Date): boolean {
  return now >= completeAt;
}

function resultOf({ holder_name }: BankAccount, finding: BankFinding | undefined): object {
  switch (finding) {
    case 'frozen':
    case 'fraud':
      return { result: 'FROZEN', name_at_bank: null };
    case 'closed':
      return { result: 'CLOSED', name_at_bank: null };
    case 'no_account':
    case 'refused_at_start':
      return { result: 'INVALID_ACCOUNT', name_at_bank: null };
    case 'no_name':
      return { result: 'VALID', name_at_bank: null };
    case 'other_name':
      return { result: 'VALID', name_at_bank: otherNameThan(holder_name) };
    case 'no_result':
    case undefined:
      return { result: 'VALID', name_at_bank: holder_name.toUpperCase() };
  }
}
