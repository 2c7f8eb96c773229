import type { AuditAction } from '../audit/audit-actions.table.js';
import { isOnHold } from './on-hold.js';

/** One kind of durable call, for operators. */
export interface CallTable {
  /** In the schema `onboarding`. */
  readonly table: string;
  /** States in which the outcome is open. */
  readonly openStates: readonly string[];
  /** SQL about the row `t`: the user for whom the call is made. */
  readonly user: string;
  /** SQL about the row `t`: whether it is for the user in $1. Default: compares `user`; set it where that uses no index. */
  readonly ofUser?: string;
  /** SQL about the row `t`: slug of the issuer that it concerns, or NULL. */
  readonly issuer: string;
  /** As `DurableCall.readyWhen`, with the reason why a row is not ready. */
  readonly readyWhen?: string;
  readonly waitsFor?: string;
  /** SQL about the row `t`: whether a due one was never sent. Such a call waits while its user is blocked or its partner disabled. */
  readonly unsentWhen?: string;
  /** The state of given-up calls that nothing else restarts; they stay listed until repeated. */
  readonly givenUpState?: string;
  /** SQL about the row `t`: whether one that was given up may be repeated. */
  readonly repeatableWhen?: string;
}

/**
 * Every table of durable calls by its name for operators. Commands do not load the definitions; a test compares both.
 */
export const CALL_TABLES: Readonly<Record<string, CallTable>> = {
  'bank-verification': {
    table: 'bank_accounts',
    openStates: ['DUE', 'PROCESSING'],
    user: 't.user_id',
    issuer: 'NULL',
    readyWhen: `(t.state = 'PROCESSING' OR t.provider IS NOT NULL OR NOT ${isOnHold('t.user_id')})`,
    waitsFor: 'the user to be unblocked, or the partner to be enabled',
    unsentWhen: 't.provider IS NULL',
  },
  'bank-registration': {
    table: 'bank_syncs',
    openStates: ['DUE', 'ACCEPTED'],
    user: '(SELECT user_id FROM onboarding.bank_accounts a WHERE a.id = t.account_id)',
    ofUser: 't.account_id IN (SELECT id FROM onboarding.bank_accounts WHERE user_id = $1)',
    issuer: 't.issuer_slug',
    readyWhen: `(t.state = 'ACCEPTED' OR t.sent_at IS NOT NULL OR EXISTS (
      SELECT 1 FROM onboarding.bank_accounts a
       WHERE a.id = t.account_id AND a.state = 'VERIFIED' AND a.is_compared
         AND a.name_review IS DISTINCT FROM 'WAITING' AND NOT ${isOnHold('a.user_id')})
      AND NOT EXISTS (
        SELECT 1 FROM onboarding.bank_withdrawals w
         WHERE w.account_id = t.account_id AND w.issuer_slug = t.issuer_slug AND w.state = 'DUE'))`,
    waitsFor:
      'the verification of the account and the PAN, the review of its names, its withdrawal at the issuer, the user to be unblocked, or the partner to be enabled',
    unsentWhen: 't.sent_at IS NULL',
  },
  'bank-withdrawal': {
    table: 'bank_withdrawals',
    openStates: ['DUE'],
    user: '(SELECT user_id FROM onboarding.bank_accounts a WHERE a.id = t.account_id)',
    ofUser: 't.account_id IN (SELECT id FROM onboarding.bank_accounts WHERE user_id = $1)',
    issuer: 't.issuer_slug',
    givenUpState: 'ABANDONED',
    // the issuer may have registered the account for its holder since
    repeatableWhen: `NOT EXISTS (
      SELECT 1 FROM onboarding.bank_syncs s
       WHERE s.account_id = t.account_id AND s.issuer_slug = t.issuer_slug AND s.state IN ('ACCEPTED', 'SYNCED'))`,
  },
  ekyc: {
    table: 'ekyc_requests',
    openStates: ['DUE', 'FOLLOWED'],
    user: 't.user_id',
    issuer: 't.issuer_slug',
    readyWhen: "t.status <> 'REQUESTED'",
    waitsFor: 'the next check-status of the client',
  },
  'document-locker': {
    table: 'locker_sessions',
    openStates: ['DUE', 'FOLLOWED'],
    user: 't.user_id',
    issuer: '(SELECT issuer_slug FROM onboarding.ekyc_requests r WHERE r.id = t.ekyc_request_id)',
    readyWhen: 't.locker_id IS NOT NULL',
    waitsFor: 'the next call of the client for a locker session',
  },
  'pan-check': { table: 'pan_checks', openStates: ['DUE'], user: 't.user_id', issuer: 'NULL' },
  'pan-notice': { table: 'pan_notices', openStates: ['DUE'], user: 't.user_id', issuer: 'NULL' },
};

/** Commands on an open call, with their audit actions. */
export const CALL_CHANGES = {
  repeat: 'CALL_REPEATED',
  'give-up': 'CALL_GIVEN_UP',
} as const satisfies Record<string, AuditAction>;
