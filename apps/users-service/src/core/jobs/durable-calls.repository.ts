import { Injectable } from '@nestjs/common';
import { EntityManager, type ObjectLiteral } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type CallKind, callsOf, isOpen, locked } from './call-kind.js';
import { DUE, GIVE_UP_SECONDS, LEASE_SECONDS, RELEASED } from './durable-call.js';

/** The exclusive right to work on a row until it expires. A result is written only under a valid lease. */
export interface Lease {
  readonly id: string;
  readonly leaseId: string;
}

/** Pauses after a failure, in seconds: until the worker tries again, and until anybody may. */
export interface Pause {
  readonly seconds: number;
  readonly heldSeconds: number;
}

/** The part of a definition that a lease needs. */
interface Leased {
  readonly kind: CallKind;
  readonly isPolledByRequests?: boolean;
  readonly leaseSeconds?: number;
}

/** Some of the rows `t` of a kind, in an order of their own. */
export interface Some {
  readonly where: string;
  readonly parameters: ObjectLiteral;
  readonly orderBy: string;
  readonly limit: number;
}

interface Next {
  readonly state: string;
  readonly receipt: string | null | undefined;
  readonly tries: number;
  readonly seconds: number;
}

/** SQL conditions about a row. @param row `t.`, or nothing in an UPDATE */
const isFree = (row: 't.' | ''): string => `(${row}leased_until IS NULL OR ${row}leased_until < now())`;
const isOverdue = ({ giveUpSeconds = GIVE_UP_SECONDS }: CallKind, row: 't.' | ''): string =>
  `${row}due_since < now() - make_interval(secs => ${giveUpSeconds})`;
const inSeconds = (seconds: number) => (): string => `now() + make_interval(secs => ${seconds})`;

/** Leases and due times of the rows of any durable call. */
@Injectable()
export class DurableCallsRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * Leases an open row for a request. After a failure a request need not wait for the next try. Requests do not poll an
   * accepted call more often than the worker, unless its definition allows it.
   * @returns undefined if the row is not open, not due, or leased
   */
  async leaseRow(call: Leased, id: string): Promise<Lease | undefined> {
    const leaseId = uuidv7();
    const isInTime = call.isPolledByRequests ? 'true' : `(state = '${DUE}' OR next_try_at <= now())`;
    const leased = this.lease(call, leaseId)
      .where('id = :id', { id })
      .andWhere(isOpen(call.kind, ''))
      .andWhere(isInTime)
      .andWhere(isFree(''));
    return ((await leased.execute()).affected ?? 0) > 0 ? { id, leaseId } : undefined;
  }

  /** Leases due rows, and skips rows leased by other replicas. */
  async leaseDueRows(call: Leased, { where, parameters, orderBy, limit }: Some): Promise<Lease[]> {
    const leaseId = uuidv7();
    const { kind } = call;
    const due = locked(callsOf(this.manager, kind))
      .setOnLocked('skip_locked')
      .select('t.id')
      .where(isOpen(kind))
      .andWhere('t.nextTryAt <= now()')
      .andWhere(isFree('t.'))
      .andWhere(kind.readyWhen ?? 'true')
      .andWhere(where, parameters)
      .orderBy(orderBy)
      .limit(limit);
    const leased = this.lease(call, leaseId).where(`id = ANY (ARRAY(${due.getQuery()}))`).returning('id');
    const result = await leased.setParameters(due.getParameters()).execute();
    return (result.raw as { id: string }[]).map(({ id }) => ({ id, leaseId }));
  }

  private lease({ kind, leaseSeconds = LEASE_SECONDS }: Leased, leaseId: string) {
    return this.update(kind).set({ leaseId, leasedUntil: inSeconds(leaseSeconds) });
  }

  /** Makes the next poll of a call that a provider has accepted due now. The table has a column `provider`. */
  async pollNow(kind: CallKind, provider: string, id: string): Promise<void> {
    await this.update(kind)
      .set({ nextTryAt: () => 'now()' })
      .where('id = :id AND state = :state AND next_try_at > now() AND provider = :provider', {
        ...{ id, provider, state: kind.acceptedState },
      })
      .execute();
  }

  /**
   * Gives a row back after a failure, to be tried again later with the same key. A held row looks leased: requests wait
   * as for another one's call. An overdue row is not held, because it is given up at once.
   * @returns whether it is overdue
   */
  async postpone(kind: CallKind, { id, leaseId }: Lease, { seconds, heldSeconds }: Pause): Promise<boolean> {
    const leasedUntil = () =>
      heldSeconds > 0 ? `CASE WHEN NOT ${isOverdue(kind, '')} THEN ${inSeconds(heldSeconds)()} END` : 'NULL';
    const postponed = await this.update(kind)
      .set({ tries: () => 'tries + 1', nextTryAt: inSeconds(seconds), leaseId: null, leasedUntil })
      .where('id = :id AND lease_id = :leaseId', { id, leaseId })
      .returning(`${isOverdue(kind, '')} AS "isOverdue"`)
      .execute();
    const [row] = postponed.raw as { isOverdue: boolean }[];
    return row?.isOverdue ?? false;
  }

  /** Locks a row if it is open, overdue and free. Returns its state. */
  async lockOverdue(tx: EntityManager, kind: CallKind, id: string): Promise<string | undefined> {
    const overdue = await locked(tx.createQueryBuilder(kind.entity, 't'))
      .select('t.state', 'state')
      .where('t.id = :id', { id })
      .andWhere(isOpen(kind))
      .andWhere(isFree('t.'))
      .andWhere(isOverdue(kind, 't.'))
      .getRawOne<{ state: string }>();
    return overdue?.state;
  }

  /** Keeps a row open, to be polled or sent again later. */
  async keepOpen(tx: EntityManager, { entity }: CallKind, id: string, next: Next): Promise<void> {
    const { receipt, seconds, ...values } = next;
    const kept = { ...values, ...RELEASED, ...(receipt === undefined ? {} : { receipt }) };
    await tx.update(entity, { id }, { ...kept, nextTryAt: inSeconds(seconds) });
  }

  private update({ entity }: CallKind) {
    return this.manager.createQueryBuilder().update(entity);
  }
}
