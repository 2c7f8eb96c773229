import { type BankVerificationPayload, maskAccountNumber } from '@fd/contracts';
import { BankErrors } from '@fd/errors';
import type { BankStanding } from './bank-account.js';
import { isPending } from './bank-outcome.js';

/** Where an account stands, with the number masked. */
export function presentStanding({ account, match, issuer, sync }: BankStanding): BankVerificationPayload {
  return {
    is_bank_verified: account.state === 'VERIFIED',
    verification_id: account.id,
    account: maskAccountNumber(account.account),
    ifsc: account.ifsc,
    bank_name: account.bankName,
    name_match: match && { score: match.score, band: match.band, reasons: match.reasons },
    is_synced: sync?.state === 'SYNCED',
    issuer_code: issuer?.code ?? null,
    issuer_reference: sync?.reference ?? null,
    ...(isPending(account, sync) ? { pending_code: BankErrors.pending.code } : {}),
  };
}
