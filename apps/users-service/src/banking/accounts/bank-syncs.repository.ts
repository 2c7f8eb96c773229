import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { BankSync } from './bank-account.js';
import type { Lease } from './bank-leases.repository.js';
import { GIVE_UP_SECONDS, HAND_OVER_SECONDS, REFUSAL_SECONDS } from './bank.policy.js';
import { stateAfter, SYNC_TRANSITIONS, type SyncState } from './bank.states.js';

interface Row {
  id: string;
  account_id: string;
  user_id: string;
  issuer_slug: string;
  state: SyncState;
  idempotency_key: string;
  receipt: string | null;
  reference: string | null;
  tries: number;
  is_leased: boolean;
  is_cooled: boolean;
  is_overdue: boolean;
}

const COLUMNS = `
  id, account_id, issuer_slug,
  (SELECT user_id FROM onboarding.bank_accounts a WHERE a.id = account_id) AS user_id, state, idempotency_key, receipt, reference, tries,
  coalesce(leased_until > now(), false) AS is_leased,
  coalesce(settled_at < now() - make_interval(secs => ${REFUSAL_SECONDS}), false) AS is_cooled,
  due_since < now() - make_interval(secs => ${GIVE_UP_SECONDS}) AS is_overdue`;

const FREED = 'lease_id = NULL, leased_until = NULL';

/** Registrations of bank accounts at issuers: one for each pair. */
@Injectable()
export class BankSyncsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Wants an account to be registered at an issuer; the caller has locked the account. A refusal that is old
   * enough is asked for again as another registration, what was dropped or given up with the key it had.
   */
  async want(manager: EntityManager, accountId: string, issuerSlug: string): Promise<BankSync> {
    await manager.query(
      `INSERT INTO onboarding.bank_syncs (id, account_id, issuer_slug, idempotency_key, next_try_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => ${HAND_OVER_SECONDS}))
       ON CONFLICT (account_id, issuer_slug) DO UPDATE SET asked_at = now()`,
      [uuidv7(), accountId, issuerSlug, randomUUID()],
    );
    const [row] = await manager.query<Row[]>(
      `SELECT ${COLUMNS} FROM onboarding.bank_syncs
        WHERE account_id = $1 AND issuer_slug = $2 FOR UPDATE`,
      [accountId, issuerSlug],
    );
    const sync = read(row!);
    return isToBeAskedAgain(sync) ? this.reopen(manager, sync) : sync;
  }

  async find(id: string): Promise<BankSync> {
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT ${COLUMNS} FROM onboarding.bank_syncs WHERE id = $1`,
      [id],
    );
    return read(row!);
  }

  /** The registration at an issuer or, if none is named, the one that was asked for last. */
  async findOfAccount(accountId: string, issuerSlug: string | undefined): Promise<BankSync | undefined> {
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT ${COLUMNS} FROM onboarding.bank_syncs
        WHERE account_id = $1 AND ($2::text IS NULL OR issuer_slug = $2)
        ORDER BY asked_at DESC, id DESC LIMIT 1`,
      [accountId, issuerSlug ?? null],
    );
    return row && read(row);
  }

  /** Locks a leased registration, as it is now; undefined when the lease has passed to somebody else. */
  async lockLeased(manager: EntityManager, { id, leaseId }: Lease): Promise<BankSync | undefined> {
    const [row] = await manager.query<Row[]>(
      `SELECT ${COLUMNS} FROM onboarding.bank_syncs WHERE id = $1 AND lease_id = $2 FOR UPDATE`,
      [id, leaseId],
    );
    return row && read(row);
  }

  async lock(manager: EntityManager, id: string): Promise<BankSync> {
    const [row] = await manager.query<Row[]>(
      `SELECT ${COLUMNS} FROM onboarding.bank_syncs WHERE id = $1 FOR UPDATE`,
      [id],
    );
    return read(row!);
  }

  /** The issuer is at work, or has forgotten that it was: the registration is looked at again later. */
  async keepOpen(
    manager: EntityManager,
    id: string,
    next: { state: SyncState; receipt: string | null; tries: number; seconds: number },
  ): Promise<void> {
    await manager.query(
      `UPDATE onboarding.bank_syncs
          SET state = $2, receipt = $3, tries = $4, next_try_at = now() + make_interval(secs => $5), ${FREED}
        WHERE id = $1`,
      [id, next.state, next.receipt, next.tries, next.seconds],
    );
  }

  async settle(
    manager: EntityManager,
    id: string,
    { state, reference }: { state: SyncState; reference: string | null },
  ): Promise<void> {
    await manager.query(
      `UPDATE onboarding.bank_syncs
          SET state = $2, reference = $3, tries = 0, settled_at = now(), ${FREED}
        WHERE id = $1`,
      [id, state, reference],
    );
  }

  /**
   * Drops what waits for an account that is not going to be verified.
   * @returns slugs of the issuers that are not asked now
   */
  async dropAll(manager: EntityManager, accountId: string): Promise<string[]> {
    const [rows] = await manager.query<[{ issuer_slug: string }[], number]>(
      `UPDATE onboarding.bank_syncs SET state = $2, settled_at = now(), ${FREED}
        WHERE account_id = $1 AND state = 'DUE' RETURNING issuer_slug`,
      [accountId, stateAfter(SYNC_TRANSITIONS, 'DUE', 'DROPPED')],
    );
    return rows.map((row) => row.issuer_slug);
  }

  /** Slugs of the issuers that have an account, or have been sent it and may take it yet. */
  async sentTo(
    manager: EntityManager,
    accountId: string,
    states: readonly Extract<SyncState, 'ACCEPTED' | 'SYNCED'>[],
  ): Promise<string[]> {
    const rows = await manager.query<{ issuer_slug: string }[]>(
      'SELECT issuer_slug FROM onboarding.bank_syncs WHERE account_id = $1 AND state = ANY ($2)',
      [accountId, states],
    );
    return rows.map((row) => row.issuer_slug);
  }

  /** The account is verified now: the time that it took is not the issuers'. */
  async startClocks(manager: EntityManager, accountId: string): Promise<void> {
    await manager.query(
      "UPDATE onboarding.bank_syncs SET due_since = now() WHERE account_id = $1 AND state = 'DUE'",
      [accountId],
    );
  }

  private async reopen(manager: EntityManager, sync: BankSync): Promise<BankSync> {
    const isNew = sync.state === 'INVALID';
    const [[row]] = await manager.query<[Row[], number]>(
      `UPDATE onboarding.bank_syncs
          SET state = $2, idempotency_key = $3, receipt = NULL, tries = 0, due_since = now(),
              next_try_at = now() + make_interval(secs => ${HAND_OVER_SECONDS}), settled_at = NULL, ${FREED}
        WHERE id = $1 RETURNING ${COLUMNS}`,
      [
        sync.id,
        stateAfter(SYNC_TRANSITIONS, sync.state, 'ASKED_AGAIN'),
        isNew ? randomUUID() : sync.idempotencyKey,
      ],
    );
    return read(row!);
  }
}

function isToBeAskedAgain({ state, isCooled }: BankSync): boolean {
  return state === 'DROPPED' || state === 'ABANDONED' || (state === 'INVALID' && isCooled);
}

function read(row: Row): BankSync {
  return {
    id: row.id,
    accountId: row.account_id,
    userId: row.user_id,
    issuerSlug: row.issuer_slug,
    state: row.state,
    idempotencyKey: row.idempotency_key,
    receipt: row.receipt,
    reference: row.reference,
    tries: row.tries,
    isLeased: row.is_leased,
    isCooled: row.is_cooled,
    isOverdue: row.is_overdue,
  };
}
