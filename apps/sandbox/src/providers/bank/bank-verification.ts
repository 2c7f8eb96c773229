import { otherNameThan } from '../holder.js';
import { bankNameOf } from './bank-names.table.js';

interface BankAccount {
  readonly account_number: string;
  readonly ifsc: string;
  readonly holder_name: string;
}

/** The fault of an account; undefined for a good one. */
type BankFinding = 'frozen' | 'closed' | 'other_name' | undefined;

/** A verification and the moment at which its result is known. */
export interface BankVerification {
  readonly id: string;
  readonly account: BankAccount;
  readonly finding: BankFinding;
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

function resultOf({ holder_name }: BankAccount, finding: BankFinding): object {
  switch (finding) {
    case 'frozen':
      return { result: 'FROZEN', name_at_bank: null };
    case 'closed':
      return { result: 'CLOSED', name_at_bank: null };
    case 'other_name':
      return { result: 'VALID', name_at_bank: otherNameThan(holder_name) };
    case undefined:
      return { result: 'VALID', name_at_bank: holder_name.toUpperCase() };
  }
}
