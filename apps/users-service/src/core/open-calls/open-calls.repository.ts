import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { AuditAction } from '../audit/audit-actions.table.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { OperatorTools } from '../audit/operator-tools.js';
import { type CallKind, callsOf, isOpen, locked, userOf } from '../jobs/call-kind.js';
import type { CallColumns } from '../jobs/call-row.js';
import { DUE, GIVE_UP_SECONDS, REOPENED } from '../jobs/durable-call.js';

/** A durable call for operators, without request or answer data. */
interface ListedCall extends Pick<CallColumns, 'id' | 'state' | 'tries' | 'nextTryAt' | 'settledAt'> {
  readonly kind: CallKind;
  readonly userId: string;
  /** Slug. */
  readonly issuer: string | null;
  readonly isOpen: boolean;
  readonly isReady: boolean;
  readonly openSince: Date;
}

type Selected = Omit<ListedCall, 'kind'> & { readonly place: number };

/** Commands on an open call, with their audit actions. */
export const CALL_CHANGES = {
  repeat: 'CALL_REPEATED',
  'give-up': 'CALL_GIVEN_UP',
} as const satisfies Record<string, AuditAction>;

type Change = keyof typeof CALL_CHANGES;

const MAX_LISTED = 500;

/** Makes an open row due now, for another or the last try. */
const CHANGED = {
  repeat: { nextTryAt: () => 'now()', tries: 0 },
  'give-up': {
    nextTryAt: () => 'now()',
    dueSince: () => `least(due_since, now() - make_interval(secs => ${GIVE_UP_SECONDS + 1}))`,
  },
} as const satisfies Record<Change, object>;

const isReady = ({ readyWhen = 'true' }: CallKind): string => readyWhen;

/** Given up, and repeatable by an operator. */
const isRepeatable = ({ givenUpState, repeatableWhen = 'true' }: CallKind): string =>
  givenUpState === undefined ? 'false' : `(t.state = '${givenUpState}' AND ${repeatableWhen})`;

/**
 * Durable calls of all kinds, for operators. Only the worker advances them; a command makes one due, or due for the last
 * time.
 */
export class OpenCalls {
  private readonly manager: EntityManager;
  private readonly audit: AuditTrail;
  private readonly kinds: readonly CallKind[];

  constructor({ dataSource, trail, kinds }: Pick<OperatorTools, 'dataSource' | 'trail' | 'kinds'>) {
    this.manager = dataSource.manager;
    this.audit = trail;
    this.kinds = kinds;
  }

  /**
   * Returns repeatable and open calls of all users, or all calls of one user; first those that need an operator, each kind
   * oldest first. More calls than the list may have can wait for something else than their provider.
   */
  async list(tx: EntityManager, userId?: string): Promise<ListedCall[]> {
    const lists = await Promise.all(this.kinds.map((kind) => this.listOf(tx, kind, userId)));
    return lists
      .flat()
      .sort(
        (a, b) =>
          a.place - b.place || a.openSince.getTime() - b.openSince.getTime() || (a.id < b.id ? -1 : 1),
      )
      .slice(0, MAX_LISTED);
  }

  private async listOf(
    tx: EntityManager,
    kind: CallKind,
    userId: string | undefined,
  ): Promise<(ListedCall & Selected)[]> {
    const place =
      userId === undefined
        ? `(${isOpen(kind)} AND NOT ${isReady(kind)})::int * 2 + (${isOpen(kind)})::int`
        : `(NOT ${isOpen(kind)})::int * 2 + (NOT ${isReady(kind)})::int`;
    const rows = await selected(tx, kind)
      .addSelect(place, 'place')
      .where(
        userId === undefined ? `(${isOpen(kind)} OR ${isRepeatable(kind)})` : `${userOf(kind)} = :userId`,
        { userId },
      )
      .orderBy('place')
      .addOrderBy('t.dueSince')
      .addOrderBy('t.id')
      .limit(MAX_LISTED)
      .getRawMany<Selected>();
    return rows.map((row) => ({ kind, ...row }));
  }

  /** Locks all calls of a user until the transaction ends. */
  async lockAll(tx: EntityManager, userId: string): Promise<ListedCall[]> {
    for (const kind of this.kinds)
      await locked(callsOf(tx, kind))
        .select('t.id')
        .where(`${userOf(kind)} = :userId`, { userId })
        .getRawMany();
    return this.list(tx, userId);
  }

  /**
   * Restarts the time limit of calls that waited while their users or partners were stopped, and wait no longer.
   * @param users selects the ids of the users
   */
  async restartUnsent(tx: EntityManager, users: SelectQueryBuilder<object>): Promise<void> {
    for (const kind of this.kinds) {
      if (kind.unsentWhen === undefined) continue;
      const waiting = callsOf(tx, kind)
        .select('t.id')
        .where(`t.state = '${DUE}'`)
        .andWhere(kind.unsentWhen)
        .andWhere(isReady(kind))
        .andWhere(`${userOf(kind)} IN (${users.getQuery()})`);
      await tx
        .createQueryBuilder()
        .update(kind.entity)
        .set({ dueSince: () => 'now()' })
        .where(`id IN (${waiting.getQuery()})`)
        .setParameters(users.getParameters())
        .execute();
    }
  }

  /**
   * Makes an open call due now, or due for the last time, after which it is given up without a result. Also restarts a
   * given-up call that nothing else restarts.
   * @returns the call, unchanged if it is not ready; `openSince` is from before it was given up; undefined if no such call has this id
   */
  async change(id: string, change: Change, reason: string): Promise<ListedCall | undefined> {
    return this.manager.transaction(async (tx) => {
      for (const kind of this.kinds) {
        const before = await this.lockChangeable(tx, kind, id, change);
        if (!before) continue;
        if (before.isReady) {
          const values = before.isOpen ? CHANGED[change] : { ...REOPENED, state: DUE };
          await tx.update(kind.entity, { id }, values);
          const entry = { action: CALL_CHANGES[change], subject: before.userId, object: id, code: reason };
          await this.audit.record(tx, entry);
        }
        const changed = await selected(tx, kind).where('t.id = :id', { id }).getRawOne<Selected>();
        // giving up ends the time limit by an earlier `due_since`, which is not when the call was opened
        const openSince = change === 'give-up' ? before.openSince : changed!.openSince;
        return { ...changed!, kind, openSince };
      }
      return undefined;
    });
  }

  private lockChangeable(
    tx: EntityManager,
    kind: CallKind,
    id: string,
    change: Change,
  ): Promise<Selected | undefined> {
    const changeable = change === 'repeat' ? `(${isOpen(kind)} OR ${isRepeatable(kind)})` : isOpen(kind);
    return locked(selected(tx, kind)).where('t.id = :id', { id }).andWhere(changeable).getRawOne<Selected>();
  }
}

function selected(tx: EntityManager, kind: CallKind): SelectQueryBuilder<CallColumns> {
  return callsOf(tx, kind)
    .select('t.id', 'id')
    .addSelect(userOf(kind), 'userId')
    .addSelect(kind.issuer ?? 'NULL', 'issuer')
    .addSelect('t.state', 'state')
    .addSelect(isOpen(kind), 'isOpen')
    .addSelect(isReady(kind), 'isReady')
    .addSelect('t.tries', 'tries')
    .addSelect('t.nextTryAt', 'nextTryAt')
    .addSelect('t.dueSince', 'openSince')
    .addSelect('t.settledAt', 'settledAt');
}

export function callLine(call: ListedCall): string {
  const { kind, id, userId, issuer, state, tries, nextTryAt, openSince, settledAt } = call;
  const next = call.isReady ? `next try ${nextTryAt.toISOString()}` : `waits for ${kind.waitsFor ?? ''}`;
  const when = call.isOpen
    ? [`open since ${openSince.toISOString()}`, next]
    : [`ended ${settledAt?.toISOString() ?? '-'}`];
  return [kind.name, id, userId, issuer ?? '-', state, `${tries} tries`, ...when].join('\t');
}
