import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ErrorCode } from '@fd/errors';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { CALL_COLUMNS, DUE_AGAIN, HANDED_OVER_AT, SETTLED, stateAfter } from '../../core/index.js';
import { JourneyRepository, type StepEvent } from '../../journey/index.js';
import type { AccountRegistration, BankAccount } from './bank-account.js';
import { REGISTRATION_TRANSITIONS, type RegistrationState } from './bank.states.js';

/** What happens to the step BANK with one issuer. */
export interface BankStepChange {
  /** Slug. */
  readonly issuer: string;
  readonly event: StepEvent;
  readonly reason?: ErrorCode;
}

const COLUMNS = `${CALL_COLUMNS}, account_id AS "accountId", issuer_slug AS "issuerSlug", reference,
  (SELECT user_id FROM onboarding.bank_accounts a WHERE a.id = account_id) AS "userId"`;

/** Registrations of bank accounts, one for each account and issuer, and the step BANK that follows them. */
@Injectable()
export class RegistrationsRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly journey: JourneyRepository,
  ) {}

  /**
   * Requests the registration of an account at an issuer; the caller has locked the account. A refusal that is old
   * enough is requested again with another key, a dropped or abandoned registration with the key it had.
   */
  async request(manager: EntityManager, accountId: string, issuerSlug: string): Promise<AccountRegistration> {
    await manager.query(
      `INSERT INTO onboarding.bank_syncs (id, account_id, issuer_slug, idempotency_key, next_try_at)
       VALUES ($1, $2, $3, $4, ${HANDED_OVER_AT})
       ON CONFLICT (account_id, issuer_slug) DO UPDATE SET asked_at = now()`,
      [uuidv7(), accountId, issuerSlug, randomUUID()],
    );
    const where = 'account_id = $1 AND issuer_slug = $2 FOR UPDATE';
    const registration = (await one(manager, where, [accountId, issuerSlug]))!;
    return isToBeAskedAgain(registration) ? this.reopen(manager, registration) : registration;
  }

  async findById(id: string): Promise<AccountRegistration> {
    return (await one(this.dataSource.manager, 'id = $1', [id]))!;
  }

  /** The registration at an issuer or, without an issuer, the one that was requested last. */
  async findByAccount(
    accountId: string,
    issuerSlug: string | undefined,
  ): Promise<AccountRegistration | undefined> {
    return one(
      this.dataSource.manager,
      'account_id = $1 AND ($2::text IS NULL OR issuer_slug = $2) ORDER BY asked_at DESC, id DESC LIMIT 1',
      [accountId, issuerSlug ?? null],
    );
  }

  async lockById(manager: EntityManager, id: string): Promise<AccountRegistration> {
    return (await one(manager, 'id = $1 FOR UPDATE', [id]))!;
  }

  async settle(
    manager: EntityManager,
    id: string,
    { state, reference }: { state: RegistrationState; reference: string | null },
  ): Promise<void> {
    await manager.query(
      `UPDATE onboarding.bank_syncs SET state = $2, reference = $3, ${SETTLED} WHERE id = $1`,
      [id, state, reference],
    );
  }

  /**
   * Drops the registrations that wait for an account that cannot be used, and fails the step BANK at every issuer
   * of the account. The caller has locked the account.
   */
  async dropForAccount(
    manager: EntityManager,
    { id, userId }: Pick<BankAccount, 'id' | 'userId'>,
    reason: ErrorCode,
  ): Promise<void> {
    const [dropped] = await manager.query<[{ issuer_slug: string }[], number]>(
      `UPDATE onboarding.bank_syncs SET state = $2, ${SETTLED}
        WHERE account_id = $1 AND state = 'DUE' RETURNING issuer_slug`,
      [id, stateAfter(REGISTRATION_TRANSITIONS, 'DUE', 'DROPPED')],
    );
    // a name that is compared later may find issuers that have the account already
    const sent = await issuersIn(manager, id, ['ACCEPTED', 'SYNCED']);
    const issuers = [...dropped.map((row) => row.issuer_slug), ...sent];
    await this.recordSteps(
      manager,
      userId,
      issuers.map((issuer) => ({ issuer, event: 'FAILED', reason })),
    );
  }

  /** Completes the step BANK at the issuers that have the account, once it is verified and compared. */
  async completedSteps(manager: EntityManager, accountId: string): Promise<BankStepChange[]> {
    const issuers = await issuersIn(manager, accountId, ['SYNCED']);
    return issuers.map((issuer) => ({ issuer, event: 'COMPLETED' }));
  }

  /** Records changes in one order of issuers, so that two accounts of a user do not block each other. */
  async recordSteps(
    manager: EntityManager,
    userId: string,
    changes: readonly BankStepChange[],
  ): Promise<void> {
    const sorted = [...changes].sort((a, b) => (a.issuer < b.issuer ? -1 : 1));
    for (const change of sorted) await this.journey.record({ userId, step: 'BANK', ...change }, manager);
  }

  /** Restarts the day that the issuers have: verifying the account took part of it. */
  async restartClocks(manager: EntityManager, accountId: string): Promise<void> {
    await manager.query(
      "UPDATE onboarding.bank_syncs SET due_since = now() WHERE account_id = $1 AND state = 'DUE'",
      [accountId],
    );
  }

  private async reopen(
    manager: EntityManager,
    { id, state, idempotencyKey }: AccountRegistration,
  ): Promise<AccountRegistration> {
    const [[reopened]] = await manager.query<[AccountRegistration[], number]>(
      `UPDATE onboarding.bank_syncs SET state = $2, idempotency_key = $3, ${DUE_AGAIN}
        WHERE id = $1 RETURNING ${COLUMNS}`,
      [
        id,
        stateAfter(REGISTRATION_TRANSITIONS, state, 'ASKED_AGAIN'),
        state === 'INVALID' ? randomUUID() : idempotencyKey,
      ],
    );
    return reopened!;
  }
}

function isToBeAskedAgain({ state, isCooled }: AccountRegistration): boolean {
  return state === 'DROPPED' || state === 'ABANDONED' || (state === 'INVALID' && isCooled);
}

async function one(
  manager: EntityManager,
  where: string,
  parameters: unknown[],
): Promise<AccountRegistration | undefined> {
  const [registration] = await manager.query<AccountRegistration[]>(
    `SELECT ${COLUMNS} FROM onboarding.bank_syncs WHERE ${where}`,
    parameters,
  );
  return registration;
}

async function issuersIn(
  manager: EntityManager,
  accountId: string,
  states: readonly RegistrationState[],
): Promise<string[]> {
  const rows = await manager.query<{ issuer_slug: string }[]>(
    'SELECT issuer_slug FROM onboarding.bank_syncs WHERE account_id = $1 AND state = ANY ($2)',
    [accountId, states],
  );
  return rows.map((row) => row.issuer_slug);
}
