import { callKind, DUE } from '../core/index.js';
import { UserOnHold } from '../identity/index.js';
import { BankAccountRow } from './accounts/bank-account.entity.js';
import { BankSync } from './accounts/bank-sync.entity.js';
import { IS_REGISTRABLE } from './accounts/bank.states.js';
import { BankWithdrawal } from './accounts/bank-withdrawal.entity.js';

export const VERIFICATIONS = callKind<BankAccountRow>({
  name: 'bank-verification',
  entity: BankAccountRow,
  acceptedState: 'PROCESSING',
  join: (calls) => calls.leftJoin(UserOnHold, 'held', 'held.userId = t.userId'),
  // a verification that a provider may have is completed in any case
  readyWhen: "(t.state = 'PROCESSING' OR t.provider IS NOT NULL OR held.userId IS NULL)",
  waitsFor: 'the user to be unblocked, or the partner to be enabled',
  unsentWhen: 't.provider IS NULL',
});

export const REGISTRATIONS = callKind<BankSync>({
  name: 'bank-registration',
  entity: BankSync,
  acceptedState: 'ACCEPTED',
  join: (calls) =>
    calls
      .innerJoin(BankAccountRow, 'a', 'a.id = t.accountId')
      .leftJoin(UserOnHold, 'held', 'held.userId = a.userId')
      .leftJoin(
        BankWithdrawal,
        'w',
        "w.accountId = t.accountId AND w.issuerSlug = t.issuerSlug AND w.state = 'DUE'",
      ),
  user: 'a.userId',
  issuer: 't.issuerSlug',
  // one that the issuer may have is completed, independent of the account
  readyWhen: `(t.state = 'ACCEPTED' OR t.sentAt IS NOT NULL
    OR (${IS_REGISTRABLE} AND held.userId IS NULL AND w.id IS NULL))`,
  waitsFor:
    'the verification of the account and the PAN, the review of its names, its withdrawal at the issuer, the user to be unblocked, or the partner to be enabled',
  unsentWhen: 't.sentAt IS NULL',
});

export const WITHDRAWALS = callKind<BankWithdrawal>({
  name: 'bank-withdrawal',
  entity: BankWithdrawal,
  // issuers answer withdrawals at once
  acceptedState: DUE,
  join: (calls) =>
    calls
      .innerJoin(BankAccountRow, 'a', 'a.id = t.accountId')
      .leftJoin(
        BankSync,
        's',
        "s.accountId = t.accountId AND s.issuerSlug = t.issuerSlug AND s.state IN ('ACCEPTED', 'SYNCED')",
      ),
  user: 'a.userId',
  issuer: 't.issuerSlug',
  givenUpState: 'ABANDONED',
  // the issuer may have registered the account for its holder since
  repeatableWhen: 's.id IS NULL',
});

export const BANK_CALLS = [VERIFICATIONS, REGISTRATIONS, WITHDRAWALS];
