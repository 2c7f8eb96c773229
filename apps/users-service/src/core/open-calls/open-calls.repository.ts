import type { Database, Queryable, Transaction } from '@fd/platform';
import type { AuditTrail } from '../audit/audit-trail.js';
import { CALL_CHANGES, CALL_TABLES, type CallTable } from './call-tables.js';
import { GIVE_UP_SECONDS } from '../jobs/durable-call.js';

/** A durable call as operators see it: nothing of what is asked or answered. */
export interface ListedCall {
  readonly kind: string;
  readonly id: string;
  readonly userId: string;
  /** Slug. */
  readonly issuer: string | null;
  readonly state: string;
  readonly isOpen: boolean;
  /** Whether the worker goes on with it by itself. */
  readonly isReady: boolean;
  /** Failures, or polls, in a row. */
  readonly tries: number;
  readonly nextTryAt: Date;
  readonly openSince: Date;
  readonly settledAt: Date | null;
}

const MAX_LISTED = 500;

/** Makes an open row one that the worker takes up now: for another try, or for the last one. */
const ASSIGNMENTS: Readonly<Record<keyof typeof CALL_CHANGES, string>> = {
  repeat: 'next_try_at = now(), tries = 0',
  'give-up': `next_try_at = now(), due_since = least(due_since, now() - make_interval(secs => ${GIVE_UP_SECONDS + 1}))`,
};

/** Makes one that was given up a new call, with the same key. */
const REOPENED = "state = 'DUE', next_try_at = now(), tries = 0, due_since = now(), settled_at = NULL";

const isOpen = ({ openStates }: CallTable): string => `t.state IN ('${openStates.join("', '")}')`;

/** Given up, while an operator may repeat it. */
const isRepeatable = ({ givenUpState, repeatableWhen = 'true' }: CallTable): string =>
  givenUpState === undefined ? 'false' : `(t.state = '${givenUpState}' AND ${repeatableWhen})`;

const isOfUser = ({ user, ofUser = `${user} = $1` }: CallTable): string => ofUser;

/** Durable calls of all kinds, for operators. The worker alone moves them on: a command only says when, or for the last time. */
export class OpenCalls {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditTrail,
  ) {}

  /** As `list` for all users, which is recorded first. @param reason of the operator */
  async listToOperator(reason: string): Promise<ListedCall[]> {
    await this.audit.record(this.database, { action: 'OPEN_CALLS_LISTED', code: reason });
    return this.list();
  }

  /** Open calls, with those given up that nobody begins again, or all calls of a user; those that are open longest first. */
  async list(userId?: string, connection: Queryable = this.database): Promise<ListedCall[]> {
    const parts = Object.entries(CALL_TABLES).map(([kind, call]) => {
      const { table, user, issuer, readyWhen = 'true' } = call;
      return `
        SELECT '${kind}' AS kind, t.id, ${user} AS "userId", ${issuer}::text AS issuer, t.state, ${isOpen(call)} AS "isOpen",
               ${readyWhen} AS "isReady", t.tries, t.next_try_at AS "nextTryAt", t.due_since AS "openSince",
               t.settled_at AS "settledAt"
          FROM onboarding.${table} t
         WHERE ${userId === undefined ? `(${isOpen(call)} OR ${isRepeatable(call)})` : isOfUser(call)}`;
    });
    return connection.query<ListedCall[]>(
      `${parts.join('\n UNION ALL ')} ORDER BY "isOpen" DESC, "openSince", id LIMIT ${MAX_LISTED}`,
      userId === undefined ? [] : [userId],
    );
  }

  /** All calls of a user, which nobody changes until the transaction ends. */
  async lockAll(userId: string, transaction: Transaction): Promise<ListedCall[]> {
    for (const call of Object.values(CALL_TABLES))
      await transaction.query(
        `SELECT FROM onboarding.${call.table} t WHERE ${isOfUser(call)} FOR UPDATE OF t`,
        [userId],
      );
    return this.list(userId, transaction);
  }

  /**
   * Has an open call tried again now, or tried for the last time: without a result it is given up then. What was given up,
   * and begins again by nothing else, can be repeated too.
   * @returns the call; undefined when there is no such one of this id. One that is not ready is not changed.
   */
  async change(
    id: string,
    change: keyof typeof CALL_CHANGES,
    reason: string,
  ): Promise<ListedCall | undefined> {
    return this.database.transaction(async (transaction) => {
      for (const [kind, call] of Object.entries(CALL_TABLES)) {
        const { table, readyWhen = 'true', user } = call;
        const [locked] = await transaction.query<{ isOpen: boolean; isReady: boolean; userId: string }[]>(
          `SELECT ${isOpen(call)} AS "isOpen", ${readyWhen} AS "isReady", ${user} AS "userId" FROM onboarding.${table} t
            WHERE t.id = $1 AND (${isOpen(call)} OR ${change === 'repeat' ? isRepeatable(call) : 'false'}) FOR UPDATE OF t`,
          [id],
        );
        if (!locked) continue;
        if (locked.isReady) {
          const assignments = locked.isOpen ? ASSIGNMENTS[change] : REOPENED;
          await transaction.query(`UPDATE onboarding.${table} SET ${assignments} WHERE id = $1`, [id]);
          const entry = { action: CALL_CHANGES[change], subject: locked.userId, object: id, code: reason };
          await this.audit.record(transaction, entry);
        }
        const calls = await this.list(locked.userId, transaction);
        return calls.find((listed) => listed.kind === kind && listed.id === id);
      }
      return undefined;
    });
  }
}

/** A call as commands print it. */
export function callLine(call: ListedCall): string {
  const { kind, id, userId, issuer, state, tries, nextTryAt, openSince, settledAt, isReady } = call;
  const waits = CALL_TABLES[kind]!.waitsFor ?? '';
  const next = isReady ? `next try ${nextTryAt.toISOString()}` : `waits for ${waits}`;
  const when = call.isOpen
    ? [`open since ${openSince.toISOString()}`, next]
    : [`ended ${settledAt?.toISOString() ?? '-'}`];
  return [kind, id, userId, issuer ?? '-', state, `${tries} tries`, ...when].join('\t');
}
