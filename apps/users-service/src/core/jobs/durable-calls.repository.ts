import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Database, type Transaction } from '@fd/platform';
import {
  type CallState,
  DUE,
  type DurableCall,
  GIVE_UP_SECONDS,
  LEASE_SECONDS,
  RELEASED,
} from './durable-call.js';

/** The exclusive right to work on a row until it expires. A result is written only under a valid lease. */
export interface Lease {
  /** Of the row. */
  readonly id: string;
  readonly leaseId: string;
}

/** Pauses after a failure, in seconds: until the worker tries again, and until anybody may. */
export interface Pause {
  readonly seconds: number;
  readonly heldSeconds: number;
}

/** The part of a definition that the SQL needs. */
type LeasedTable = Pick<
  DurableCall<CallState, unknown>,
  'table' | 'acceptedState' | 'readyWhen' | 'isPolledByRequests' | 'leaseSeconds'
>;

/** Literals, so that prepared statements can use the partial indexes on open rows. */
const openStates = ({ acceptedState }: LeasedTable): string => `'${DUE}', '${acceptedState}'`;

const leaseOf = ({ leaseSeconds = LEASE_SECONDS }: LeasedTable): string =>
  `make_interval(secs => ${leaseSeconds})`;
const IS_FREE = '(t.leased_until IS NULL OR t.leased_until < now())';
const IS_OVERDUE = `t.due_since < now() - make_interval(secs => ${GIVE_UP_SECONDS})`;

/** Leases and due times of the rows of any durable call. */
@Injectable()
export class DurableCallsRepository {
  constructor(private readonly database: Database) {}

  async transaction(work: (transaction: Transaction) => Promise<void>): Promise<void> {
    await this.database.transaction(work);
  }

  /**
   * Leases an open row for a request. After a failure a request need not wait for the next try. Requests do not poll an
   * accepted call more often than the worker, unless its definition allows it.
   * @returns undefined if the row is not open, not due, or leased
   */
  async leaseRow(call: LeasedTable, id: string): Promise<Lease | undefined> {
    const leaseId = uuidv7();
    const isInTime = call.isPolledByRequests ? 'true' : `(t.state = '${DUE}' OR t.next_try_at <= now())`;
    const count = await this.database.execute(
      `UPDATE onboarding.${call.table} t SET lease_id = $2, leased_until = now() + ${leaseOf(call)}
        WHERE t.id = $1 AND t.state IN (${openStates(call)}) AND ${isInTime} AND ${IS_FREE}`,
      [id, leaseId],
    );
    return count > 0 ? { id, leaseId } : undefined;
  }

  /** Leases due rows, the oldest first, and skips rows leased by other replicas. */
  async leaseDueRows(call: LeasedTable, limit: number): Promise<Lease[]> {
    const leaseId = uuidv7();
    const rows = await this.database.query<{ id: string }[]>(
      `UPDATE onboarding.${call.table} SET lease_id = $1, leased_until = now() + ${leaseOf(call)}
        WHERE id IN (
          SELECT t.id FROM onboarding.${call.table} t
           WHERE t.state IN (${openStates(call)}) AND t.next_try_at <= now() AND ${IS_FREE}
             AND ${call.readyWhen ?? 'true'}
           ORDER BY t.next_try_at LIMIT $2 FOR UPDATE OF t SKIP LOCKED)
      RETURNING id`,
      [leaseId, limit],
    );
    return rows.map(({ id }) => ({ id, leaseId }));
  }

  /** Makes the next poll of a call that a provider has accepted due now. The table has a column `provider`. */
  async pollNow({ table, acceptedState }: LeasedTable, provider: string, id: string): Promise<void> {
    await this.database.execute(
      `UPDATE onboarding.${table} SET next_try_at = now()
        WHERE id = $1 AND state = '${acceptedState}' AND next_try_at > now() AND provider = $2`,
      [id, provider],
    );
  }

  /**
   * Gives a row back after a failure, to be tried again later with the same key. A held row looks leased: requests wait
   * as for another one's call. An overdue row is not held, because it is given up at once.
   * @returns whether it is overdue
   */
  async postpone(
    { table }: LeasedTable,
    { id, leaseId }: Lease,
    { seconds, heldSeconds }: Pause,
  ): Promise<boolean> {
    const rows = await this.database.query<{ isOverdue: boolean }[]>(
      `UPDATE onboarding.${table} t
          SET tries = tries + 1, next_try_at = now() + make_interval(secs => $3), lease_id = NULL,
              leased_until = CASE WHEN $4::float8 > 0 AND NOT ${IS_OVERDUE} THEN now() + make_interval(secs => $4) END
        WHERE id = $1 AND lease_id = $2 RETURNING ${IS_OVERDUE} AS "isOverdue"`,
      [id, leaseId, seconds, heldSeconds],
    );
    return rows[0]?.isOverdue ?? false;
  }

  /** Locks a row if it is open, overdue and free. Returns its state. */
  async lockOverdue(transaction: Transaction, call: LeasedTable, id: string): Promise<string | undefined> {
    const [row] = await transaction.query<{ state: string }[]>(
      `SELECT t.state FROM onboarding.${call.table} t
        WHERE t.id = $1 AND t.state IN (${openStates(call)}) AND ${IS_FREE} AND ${IS_OVERDUE} FOR UPDATE`,
      [id],
    );
    return row?.state;
  }

  /** Keeps a row open, to be polled or sent again later. */
  async keepOpen(
    transaction: Transaction,
    { table }: LeasedTable,
    id: string,
    next: { state: string; receipt: string | null | undefined; tries: number; seconds: number },
  ): Promise<void> {
    const values = [id, next.state, next.tries, next.seconds];
    const receipt = next.receipt === undefined ? '' : ', receipt = $5';
    await transaction.query(
      `UPDATE onboarding.${table}
          SET state = $2, tries = $3, next_try_at = now() + make_interval(secs => $4), ${RELEASED}${receipt}
        WHERE id = $1`,
      receipt ? [...values, next.receipt] : values,
    );
  }
}
