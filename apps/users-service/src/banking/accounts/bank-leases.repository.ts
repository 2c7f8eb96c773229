import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { GIVE_UP_SECONDS, LEASE_SECONDS } from './bank.policy.js';
import { OPEN_ACCOUNT_STATES, OPEN_SYNC_STATES } from './bank.states.js';

/** What can be leased: the tables have the same columns for it. */
export type LeasedTable = 'bank_accounts' | 'bank_syncs';

/** The right to work on a row, alone, until it runs out. Its id is asked for when the result is written. */
export interface Lease {
  readonly table: LeasedTable;
  /** Of the row. */
  readonly id: string;
  readonly leaseId: string;
}

const OPEN_STATES = { bank_accounts: OPEN_ACCOUNT_STATES, bank_syncs: OPEN_SYNC_STATES } as const;

/** What else must hold before there is something to do. */
const IS_READY = {
  bank_accounts: 'true',
  // what an issuer has accepted is followed to its end, whatever becomes of the account
  bank_syncs: `(t.state = 'ACCEPTED' OR EXISTS (SELECT 1 FROM onboarding.bank_accounts a
                        WHERE a.id = t.account_id AND a.state = 'VERIFIED'))`,
} as const;

const IS_FREE = '(t.leased_until IS NULL OR t.leased_until < now())';

/** Who works on what. All times are PostgreSQL's own, so that replicas agree on them. */
@Injectable()
export class BankLeases {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  /**
   * Leases an open row for a call. A call does not wait for the time of the next try after a failure; but a party
   * that is at work is not polled more often because many ask.
   */
  async claim(table: LeasedTable, id: string): Promise<Lease | undefined> {
    const leaseId = uuidv7();
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `UPDATE onboarding.${table} t
          SET lease_id = $2, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
        WHERE t.id = $1 AND t.state = ANY ($3) AND (t.state = 'DUE' OR t.next_try_at <= now()) AND ${IS_FREE}`,
      [id, leaseId, OPEN_STATES[table]],
    );
    return count > 0 ? { table, id, leaseId } : undefined;
  }

  /** Leases open rows whose time has come, those that wait longest first, and none that another replica takes. */
  async claimDue(table: LeasedTable, limit: number): Promise<Lease[]> {
    const leaseId = uuidv7();
    const [rows] = await this.dataSource.query<[{ id: string }[], number]>(
      `UPDATE onboarding.${table}
          SET lease_id = $1, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
        WHERE id IN (
          SELECT t.id FROM onboarding.${table} t
           WHERE t.state = ANY ($2) AND t.next_try_at <= now() AND ${IS_FREE} AND ${IS_READY[table]}
           ORDER BY t.next_try_at LIMIT $3 FOR UPDATE OF t SKIP LOCKED)
      RETURNING id`,
      [leaseId, OPEN_STATES[table], limit],
    );
    return rows.map(({ id }) => ({ table, id, leaseId }));
  }

  /**
   * Gives a row back after a failure, to be tried again later with the same key.
   * @returns whether it has been tried for so long that it is to be given up
   */
  async postpone({ table, id, leaseId }: Lease, seconds: number): Promise<boolean> {
    const [rows] = await this.dataSource.query<[{ is_overdue: boolean }[], number]>(
      `UPDATE onboarding.${table}
          SET tries = tries + 1, next_try_at = now() + make_interval(secs => $3), lease_id = NULL,
              leased_until = NULL
        WHERE id = $1 AND lease_id = $2
      RETURNING due_since < now() - make_interval(secs => ${GIVE_UP_SECONDS}) AS is_overdue`,
      [id, leaseId, seconds],
    );
    return rows[0]?.is_overdue ?? false;
  }
}
