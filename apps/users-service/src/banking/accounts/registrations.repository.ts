import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BankErrors, type ErrorCode } from '@fd/errors';
import { v7 as uuidv7 } from 'uuid';
import { Database, type Queryable, type Transaction } from '@fd/platform';
import type { Issuer } from '../../config/index.js';
import {
  CALL_COLUMNS,
  type CallState,
  DUE_AGAIN,
  HANDED_OVER_AT,
  isOnHold,
  SETTLED,
  stateAfter,
} from '../../core/index.js';
import { isCovered } from '../../identity/index.js';
import { JourneyRepository, type StepChange } from '../../journey/index.js';
import type { BankAccount } from './bank-accounts.repository.js';
import {
  type ComparedAccount,
  REGISTRATION_REFUSALS,
  REGISTRATION_TRANSITIONS,
  type RegistrationEvent,
  type RegistrationState,
  waitOf,
} from './bank.states.js';

export interface AccountRegistration extends CallState<RegistrationState> {
  readonly accountId: string;
  /** Owner of the account. */
  readonly userId: string;
  readonly issuerSlug: string;
  /** The issuer's id of the registration. */
  readonly reference: string | null;
  /** Whether the issuer must remove a former registration first. */
  readonly isBeingWithdrawn: boolean;
  /** Whether the consents of the user still cover it. */
  readonly isCovered: boolean;
  /** Whether a try with the current key may have reached the issuer: while it is open, the issuer may have the account. */
  readonly isSent: boolean;
  /** Whether the bank and the names still confirm the account. */
  readonly isVerified: boolean;
}

type BankStepChange = Pick<StepChange, 'event' | 'reason' | 'isLimited' | 'onlyFrom'> & {
  readonly issuer: string;
};

/**
 * `next_try_at` of a registration whose account waits for a PAN or a review, which ends with `restartClocks`: the worker
 * skips such rows, and looks at a forgotten one after a day.
 */
const PARKED = "now() + interval '1 day'";

/** Selects the withdrawals of a registration with a state. @param row name of the row of `bank_syncs` */
export const WITHDRAWAL_OF = (row: string, state: 'DUE' | 'KEPT'): string => `
  SELECT 1 FROM onboarding.bank_withdrawals w
   WHERE w.account_id = ${row}.account_id AND w.issuer_slug = ${row}.issuer_slug AND w.state = '${state}'`;

/** Selects the account of a registration if an issuer may get it for the first time. @param row as above */
export const SENDABLE_ACCOUNT_OF = (row: string): string => `
  SELECT 1 FROM onboarding.bank_accounts a
   WHERE a.id = ${row}.account_id AND a.state = 'VERIFIED' AND a.is_compared
     AND a.name_review IS DISTINCT FROM 'WAITING' AND NOT ${isOnHold('a.user_id')}`;

/** Accounts of a search. */
const WITHDRAWN_AT_ONCE = 50;

const COVERED = `SELECT ${isCovered('a.user_id', 'BANK_ACCOUNT_VERIFICATION', 'ISSUER_SHARING')} FROM onboarding.bank_accounts a WHERE a.id = account_id`;

const COLUMNS = `${CALL_COLUMNS}, account_id AS "accountId", issuer_slug AS "issuerSlug", reference,
  (SELECT user_id FROM onboarding.bank_accounts a WHERE a.id = account_id) AS "userId",
  EXISTS (${WITHDRAWAL_OF('bank_syncs', 'DUE')}) AS "isBeingWithdrawn", (${COVERED}) AS "isCovered",
  sent_at IS NOT NULL AS "isSent",
  (SELECT state = 'VERIFIED' FROM onboarding.bank_accounts a WHERE a.id = account_id) AS "isVerified"`;

/** Registrations of bank accounts, one for each account and issuer, and the step BANK that follows them. */
@Injectable()
export class RegistrationsRepository {
  constructor(
    private readonly database: Database,
    private readonly journey: JourneyRepository,
  ) {}

  /**
   * Requests the registration of an account at an issuer, if one is named, and records that the step has started,
   * together with other changes. The caller has locked the account.
   * @throws GeneralErrors.tooManyRequests when the step has changed too often today
   */
  async request(
    transaction: Transaction,
    { id, userId, ...account }: Pick<BankAccount, 'id' | 'userId'> & ComparedAccount,
    issuer: Issuer | undefined,
    changes: readonly BankStepChange[] = [],
  ): Promise<AccountRegistration | undefined> {
    const registration = issuer && (await this.findOrCreate(transaction, { id, ...account }, issuer.slug));
    const started: BankStepChange[] =
      registration?.state === 'DUE'
        ? [
            {
              issuer: registration.issuerSlug,
              event: 'STARTED',
              reason: waitOf(account) ?? undefined,
              isLimited: true,
            },
          ]
        : [];
    await this.recordSteps(transaction, userId, [...changes, ...started]);
    return registration;
  }

  async findById(id: string): Promise<AccountRegistration> {
    return (await find(this.database, 'id = $1', [id]))!;
  }

  /** The registration at an issuer or, without an issuer, the latest one. */
  async findByAccount(
    accountId: string,
    issuerSlug: string | undefined,
  ): Promise<AccountRegistration | undefined> {
    return find(
      this.database,
      'account_id = $1 AND ($2::text IS NULL OR issuer_slug = $2) ORDER BY asked_at DESC, id DESC LIMIT 1',
      [accountId, issuerSlug],
    );
  }

  async lockById(transaction: Transaction, id: string): Promise<AccountRegistration> {
    return (await find(transaction, 'id = $1 FOR UPDATE', [id]))!;
  }

  async lockByIssuer(
    transaction: Transaction,
    accountId: string,
    issuerSlug: string,
  ): Promise<AccountRegistration> {
    const parameters = [accountId, issuerSlug];
    return (await find(transaction, 'account_id = $1 AND issuer_slug = $2 FOR UPDATE', parameters))!;
  }

  /**
   * Records, before the call, that a try may reach the issuer. The first try needs an account whose names match, and the
   * consents, and a user who is not on hold; later ones find out what became of it.
   * @returns false if the registration must not be sent, or the lease was lost
   */
  async recordSent({ id, leaseId }: AccountRegistration): Promise<boolean> {
    const count = await this.database.execute(
      `UPDATE onboarding.bank_syncs SET sent_at = coalesce(sent_at, now())
        WHERE id = $1 AND lease_id = $2 AND state = 'DUE'
          AND (sent_at IS NOT NULL OR (${COVERED}) AND EXISTS (${SENDABLE_ACCOUNT_OF('bank_syncs')}))`,
      [id, leaseId],
    );
    return count > 0;
  }

  /** Undoes `recordSent` of a first try after the issuer has proved that it did nothing. */
  async forgetSent({ id, leaseId }: AccountRegistration): Promise<void> {
    await this.database.execute(
      'UPDATE onboarding.bank_syncs SET sent_at = NULL WHERE id = $1 AND lease_id = $2',
      [id, leaseId],
    );
  }

  /** Writes the result of a registration, and its effect on the step BANK. */
  async settle(
    transaction: Transaction,
    { id, accountId, state, userId, issuerSlug: issuer }: AccountRegistration,
    event: RegistrationEvent,
    { reference, settlesStep, refusal }: { reference?: string; settlesStep: boolean; refusal?: ErrorCode },
  ): Promise<void> {
    const result = stateAfter(REGISTRATION_TRANSITIONS, state, event);
    await transaction.query(
      `UPDATE onboarding.bank_syncs SET state = $2, reference = $3, ${SETTLED} WHERE id = $1`,
      [id, result, reference],
    );
    if (!settlesStep) return;
    const reason = refusal ?? REGISTRATION_REFUSALS[result]?.code;
    if (reason) return this.failSteps(transaction, { id: accountId, userId }, [issuer], reason);
    await this.recordSteps(transaction, userId, [{ issuer, event: 'COMPLETED' }]);
  }

  /**
   * Drops the unsent registrations of an unusable account, and fails the step BANK at every issuer of the account: see
   * `failSteps`. A registration that may have reached its issuer stays open, or is opened again,
   * until its outcome is known. Requests the withdrawal of another person's account from issuers that have it. The caller
   * has locked the account.
   */
  async dropForAccount(
    transaction: Transaction,
    { id, userId }: Pick<BankAccount, 'id' | 'userId'>,
    reason: ErrorCode,
  ): Promise<void> {
    // locked first, to see tries that a worker has recorded meanwhile
    await transaction.query(
      'SELECT FROM onboarding.bank_syncs WHERE account_id = $1 ORDER BY id FOR UPDATE',
      [id],
    );
    // issuers may have the account already when a name is compared later
    const rows = await transaction.query<{ issuer: string }[]>(
      `WITH dropped AS (
         UPDATE onboarding.bank_syncs SET state = $2, ${SETTLED}
          WHERE account_id = $1 AND state = 'DUE' AND sent_at IS NULL RETURNING issuer_slug
       ), in_doubt AS (
         UPDATE onboarding.bank_syncs SET state = $3, tries = 0, next_try_at = now(), due_since = now(), settled_at = NULL
          WHERE account_id = $1 AND state IN ('DUE', 'ABANDONED') AND sent_at IS NOT NULL RETURNING issuer_slug
       )
       SELECT issuer_slug AS issuer FROM dropped UNION SELECT issuer_slug FROM in_doubt
        UNION SELECT issuer_slug FROM onboarding.bank_syncs WHERE account_id = $1 AND state IN ('ACCEPTED', 'SYNCED')`,
      [
        id,
        stateAfter(REGISTRATION_TRANSITIONS, 'DUE', 'DROPPED'),
        stateAfter(REGISTRATION_TRANSITIONS, 'ABANDONED', 'ASKED_AGAIN'),
      ],
    );
    const issuers = rows.map(({ issuer }) => issuer);
    await this.failSteps(transaction, { id, userId }, issuers, reason);
    if (reason === BankErrors.holderDiffers.code) await this.withdraw(transaction, id);
  }

  /**
   * Fails the step BANK of an account at issuers, even if it was done with this account alone. The step stays done at an
   * issuer that has another account of the user, and is in progress again where another account is being registered.
   */
  private async failSteps(
    transaction: Transaction,
    { id, userId }: Pick<BankAccount, 'id' | 'userId'>,
    issuers: readonly string[],
    reason: ErrorCode,
  ): Promise<void> {
    // locked first, to see the other accounts as parallel changes of the step leave them
    await transaction.query(
      `SELECT FROM onboarding.journey_steps WHERE user_id = $1 AND step = 'BANK' AND issuer_slug = ANY ($2)
        ORDER BY issuer_slug COLLATE "C" FOR UPDATE`,
      [userId, issuers],
    );
    const others = await transaction.query<({ issuer: string; isRegistered: boolean } & ComparedAccount)[]>(
      `SELECT DISTINCT ON (s.issuer_slug) s.issuer_slug AS issuer, s.state = 'SYNCED' AS "isRegistered", a.state,
              a.is_compared AS "isCompared", a.name_review AS review
         FROM onboarding.bank_accounts a JOIN onboarding.bank_syncs s ON s.account_id = a.id
        WHERE a.user_id = $1 AND a.id <> $2 AND s.issuer_slug = ANY ($3)
          AND (s.state = 'SYNCED' AND a.state = 'VERIFIED'
               OR s.state IN ('DUE', 'ACCEPTED') AND a.state IN ('DUE', 'PROCESSING', 'VERIFIED'))
        ORDER BY s.issuer_slug, s.state = 'SYNCED' DESC, s.asked_at DESC`,
      [userId, id, issuers],
    );
    const changes = issuers.flatMap((issuer): BankStepChange[] => {
      const failed = { issuer, event: 'FAILED', reason } as const;
      const other = others.find((found) => found.issuer === issuer);
      if (other?.isRegistered) return [failed];
      // a done step would stay done
      const reset = { issuer, event: 'RESET', onlyFrom: ['DONE'] } as const;
      if (!other) return [reset, failed];
      return [reset, failed, { issuer, event: 'STARTED', reason: waitOf(other) ?? undefined }];
    });
    await this.recordSteps(transaction, userId, changes);
  }

  /**
   * Requests the withdrawal of another person's account from the issuers that have it. A later registration there gets a
   * new key. The caller has locked the account.
   */
  async withdraw(transaction: Transaction, accountId: string): Promise<void> {
    const state = stateAfter(REGISTRATION_TRANSITIONS, 'SYNCED', 'DROPPED');
    await requestWithdrawals(transaction, accountId, `state = '${state}', ${SETTLED}`);
  }

  /**
   * Requests the withdrawal of an account that belonged to a PAN which its user has lost. The registrations wait for the
   * next PAN. The caller has locked the account.
   */
  async withdrawUntilNextPan(transaction: Transaction, accountId: string): Promise<void> {
    const state = stateAfter(REGISTRATION_TRANSITIONS, 'SYNCED', 'ASKED_AGAIN');
    const parked = `state = '${state}', ${DUE_AGAIN.replace(HANDED_OVER_AT, PARKED)}`;
    await requestWithdrawals(transaction, accountId, parked);
  }

  /** Ids of accounts that issuers have although their users have lost their PAN, a batch. */
  async findWithoutPan(): Promise<string[]> {
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT DISTINCT a.id FROM onboarding.bank_accounts a
         JOIN onboarding.bank_syncs s ON s.account_id = a.id AND s.state = 'SYNCED'
        WHERE a.state = 'VERIFIED' AND NOT a.is_compared AND NOT EXISTS (${WITHDRAWAL_OF('s', 'KEPT')})
          AND NOT EXISTS (SELECT FROM onboarding.identities i WHERE i.user_id = a.user_id)
        ORDER BY a.id DESC LIMIT ${WITHDRAWN_AT_ONCE}`,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the changes of the step BANK at the issuers of an account after a comparison or a review of its names:
   * waiting, with the reason, or completed at issuers that already have the account.
   */
  async verifiedSteps(
    transaction: Transaction,
    { id, ...account }: Pick<BankAccount, 'id'> & ComparedAccount,
  ): Promise<BankStepChange[]> {
    return transaction.query<BankStepChange[]>(
      `SELECT issuer_slug AS issuer, $2::text AS reason,
              CASE WHEN state = 'SYNCED' AND $2 IS NULL THEN 'COMPLETED' ELSE 'STARTED' END AS event
         FROM onboarding.bank_syncs WHERE account_id = $1 AND state IN ('DUE', 'ACCEPTED', 'SYNCED')`,
      [id, waitOf(account)],
    );
  }

  /** Records changes in a fixed order of issuers, so that two accounts of a user do not deadlock. */
  async recordSteps(
    transaction: Transaction,
    userId: string,
    changes: readonly BankStepChange[],
  ): Promise<void> {
    const sorted = [...changes].sort((a, b) => Number(a.issuer > b.issuer) - Number(a.issuer < b.issuer));
    for (const change of sorted)
      await this.journey.record(transaction.manager, { userId, step: 'BANK', ...change });
  }

  /**
   * Restarts the issuers' time limit of a day, part of which went to the verification, the review or the wait for a
   * PAN. Parks the registrations of a waiting account, and wakes those of an account that no longer waits. The caller
   * has locked the account.
   */
  async restartClocks(
    transaction: Transaction,
    { id, ...account }: Pick<BankAccount, 'id'> & ComparedAccount,
  ): Promise<void> {
    await transaction.query(
      `UPDATE onboarding.bank_syncs
          SET due_since = now(), next_try_at = CASE WHEN $2 THEN ${PARKED}
              WHEN next_try_at > ${HANDED_OVER_AT} THEN now() ELSE next_try_at END
        WHERE account_id = $1 AND state = 'DUE'`,
      [id, waitOf(account) !== null],
    );
  }

  /** Parks a registration whose account waits. The caller has locked the account. */
  async park(transaction: Transaction, id: string): Promise<void> {
    await transaction.query(
      `UPDATE onboarding.bank_syncs SET next_try_at = ${PARKED} WHERE id = $1 AND state = 'DUE'`,
      [id],
    );
  }

  /**
   * Returns the registration at an issuer, or creates it. A refusal that is old enough becomes due again with a new
   * idempotency key, a dropped or abandoned registration with its former key.
   */
  private async findOrCreate(
    transaction: Transaction,
    { id: accountId, ...account }: Pick<BankAccount, 'id'> & ComparedAccount,
    issuerSlug: string,
  ): Promise<AccountRegistration> {
    const firstTry = waitOf(account) === null ? HANDED_OVER_AT : PARKED;
    const [claimed] = await transaction.query<[AccountRegistration]>(
      `INSERT INTO onboarding.bank_syncs (id, account_id, issuer_slug, idempotency_key, next_try_at)
       VALUES ($1, $2, $3, $4, ${firstTry})
       ON CONFLICT (account_id, issuer_slug) DO UPDATE SET asked_at = now()
       RETURNING ${COLUMNS}`,
      [uuidv7(), accountId, issuerSlug, randomUUID()],
    );
    const { id, state, isCooled, idempotencyKey } = claimed;
    const isDueAgain = state === 'DROPPED' || state === 'ABANDONED' || (state === 'INVALID' && isCooled);
    if (!isDueAgain) return claimed;
    const isAnother = state === 'INVALID';
    await transaction.query(
      `UPDATE onboarding.bank_syncs
          SET state = $2, idempotency_key = $3, sent_at = CASE WHEN $4 THEN NULL ELSE sent_at END, ${DUE_AGAIN}
        WHERE id = $1`,
      [
        id,
        stateAfter(REGISTRATION_TRANSITIONS, state, 'ASKED_AGAIN'),
        isAnother ? randomUUID() : idempotencyKey,
        isAnother,
      ],
    );
    return this.lockById(transaction, id);
  }
}

/** @param next assignments of an UPDATE of each registration */
async function requestWithdrawals(transaction: Transaction, accountId: string, next: string): Promise<void> {
  await transaction.query(
    `WITH registered AS (
       SELECT id, issuer_slug, reference FROM onboarding.bank_syncs
        WHERE account_id = $1 AND state = 'SYNCED' FOR UPDATE
     ), withdrawn AS (
       UPDATE onboarding.bank_syncs s SET ${next}, reference = NULL, idempotency_key = gen_random_uuid(), sent_at = NULL
         FROM registered r WHERE s.id = r.id
     )
     INSERT INTO onboarding.bank_withdrawals (id, account_id, issuer_slug, reference, idempotency_key)
     SELECT onboarding.uuid_v7(), $1, issuer_slug, reference, gen_random_uuid() FROM registered`,
    [accountId],
  );
}

async function find(
  connection: Queryable,
  where: string,
  parameters: unknown[],
): Promise<AccountRegistration | undefined> {
  const [registration] = await connection.query<AccountRegistration[]>(
    `SELECT ${COLUMNS} FROM onboarding.bank_syncs WHERE ${where}`,
    parameters,
  );
  return registration;
}
