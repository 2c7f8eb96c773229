import { type BankVerificationPayload, maskAccountNumber } from '@fd/contracts';
import { BankErrors } from '@fd/errors';
import type { VerificationStatus } from './accounts/bank-account.js';
import { isPending } from './accounts/bank-refusals.js';

/** The status of a verification, with the account number masked. */
export function presentStatus({
  account,
  match,
  issuer,
  registration,
}: VerificationStatus): BankVerificationPayload {
  return {
    is_bank_verified: account.state === 'VERIFIED',
    verification_id: account.id,
    account: maskAccountNumber(account.account),
    ifsc: account.ifsc,
    bank_name: account.bankName,
    name_match: match && { score: match.score, band: match.band, reasons: match.reasons },
    is_synced: registration?.state === 'SYNCED',
    issuer_code: issuer?.code ?? null,
    issuer_reference: registration?.reference ?? null,
    ...(isPending(account, registration) ? { pending_code: BankErrors.pending.code } : {}),
  };
}
