import type { Database, Queryable, Transaction } from '@fd/platform';
import type { AuditTrail } from '../audit/audit-trail.js';
import { CALL_CHANGES, CALL_TABLES, type CallTable } from './call-tables.js';
import { GIVE_UP_SECONDS } from '../jobs/durable-call.js';

/** A durable call for operators, without request or answer data. */
interface ListedCall {
  readonly kind: string;
  readonly id: string;
  readonly userId: string;
  /** Slug. */
  readonly issuer: string | null;
  readonly state: string;
  readonly isOpen: boolean;
  /** Whether the worker continues it. */
  readonly isReady: boolean;
  /** Failures, or polls, in a row. */
  readonly tries: number;
  readonly nextTryAt: Date;
  readonly openSince: Date;
  readonly settledAt: Date | null;
}

const MAX_LISTED = 500;

/** Makes an open row due now, for another or the last try. */
const ASSIGNMENTS: Readonly<Record<keyof typeof CALL_CHANGES, string>> = {
  repeat: 'next_try_at = now(), tries = 0',
  'give-up': `next_try_at = now(), due_since = least(due_since, now() - make_interval(secs => ${GIVE_UP_SECONDS + 1}))`,
};

/** Restarts a given-up call with the same key. */
const REOPENED = "state = 'DUE', next_try_at = now(), tries = 0, due_since = now(), settled_at = NULL";

const isOpen = ({ openStates }: CallTable): string => `t.state IN ('${openStates.join("', '")}')`;

/** Given up, and repeatable by an operator. */
const isRepeatable = ({ givenUpState, repeatableWhen = 'true' }: CallTable): string =>
  givenUpState === undefined ? 'false' : `(t.state = '${givenUpState}' AND ${repeatableWhen})`;

const isOfUser = ({ user, ofUser = `${user} = $1` }: CallTable): string => ofUser;

/**
 * Durable calls of all kinds, for operators. Only the worker advances them; a command makes one due, or due for the last
 * time.
 */
export class OpenCalls {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditTrail,
  ) {}

  /** Lists the calls of all users after recording the read. @param reason of the operator */
  async listToOperator(reason: string): Promise<ListedCall[]> {
    await this.audit.record(this.database, { action: 'OPEN_CALLS_LISTED', code: reason });
    return this.list();
  }

  /**
   * Returns repeatable and open calls of all users, or all calls of one user; first those that need an operator, each kind
   * oldest first. More calls than the list may have can wait for something else than their provider.
   */
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
    const order =
      userId === undefined ? '"isOpen" AND NOT "isReady", "isOpen"' : '"isOpen" DESC, "isReady" DESC';
    return connection.query<ListedCall[]>(
      `SELECT * FROM (${parts.join('\n UNION ALL ')}) calls ORDER BY ${order}, "openSince", id LIMIT ${MAX_LISTED}`,
      userId === undefined ? [] : [userId],
    );
  }

  /** Locks all calls of a user until the transaction ends. */
  async lockAll(userId: string, transaction: Transaction): Promise<ListedCall[]> {
    for (const call of Object.values(CALL_TABLES))
      await transaction.query(
        `SELECT FROM onboarding.${call.table} t WHERE ${isOfUser(call)} FOR UPDATE OF t`,
        [userId],
      );
    return this.list(userId, transaction);
  }

  /** Restarts the time limit of calls that waited while the user was blocked. */
  async restartUnsent(userId: string, transaction: Pick<Queryable, 'query'>): Promise<void> {
    await restart(transaction, isOfUser, userId);
  }

  /** Restarts the time limit of calls that waited only for this partner, which is enabled now. */
  async restartUnsentOfPartner(partnerId: string, transaction: Pick<Queryable, 'query'>): Promise<void> {
    const isOfPartner = ({ user, readyWhen }: CallTable): string =>
      `${readyWhen} AND ${user} IN (SELECT user_id FROM onboarding.consents WHERE partner_id = $1)`;
    await restart(transaction, isOfPartner, partnerId);
  }

  /**
   * Makes an open call due now, or due for the last time, after which it is given up without a result. Also restarts a
   * given-up call that nothing else restarts.
   * @returns the call, unchanged if it is not ready; `openSince` is from before it was given up; undefined if no such call has this id
   */
  async change(
    id: string,
    change: keyof typeof CALL_CHANGES,
    reason: string,
  ): Promise<ListedCall | undefined> {
    return this.database.transaction(async (transaction) => {
      for (const [kind, call] of Object.entries(CALL_TABLES)) {
        const { table, readyWhen = 'true', user } = call;
        const [locked] = await transaction.query<
          Pick<ListedCall, 'isOpen' | 'isReady' | 'userId' | 'openSince'>[]
        >(
          `SELECT ${isOpen(call)} AS "isOpen", ${readyWhen} AS "isReady", ${user} AS "userId", t.due_since AS "openSince"
             FROM onboarding.${table} t
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
        const changed = calls.find((listed) => listed.kind === kind && listed.id === id);
        // giving up ends the time limit by an earlier `due_since`, which is not when the call was opened
        return changed && change === 'give-up' ? { ...changed, openSince: locked.openSince } : changed;
      }
      return undefined;
    });
  }
}

async function restart(
  transaction: Pick<Queryable, 'query'>,
  which: (call: CallTable) => string,
  id: string,
): Promise<void> {
  for (const call of Object.values(CALL_TABLES))
    if (call.unsentWhen !== undefined)
      await transaction.query(
        `UPDATE onboarding.${call.table} t SET due_since = now()
          WHERE t.state = 'DUE' AND ${call.unsentWhen} AND ${which(call)}`,
        [id],
      );
}

export function callLine(call: ListedCall): string {
  const { kind, id, userId, issuer, state, tries, nextTryAt, openSince, settledAt, isReady } = call;
  const waits = CALL_TABLES[kind]!.waitsFor ?? '';
  const next = isReady ? `next try ${nextTryAt.toISOString()}` : `waits for ${waits}`;
  const when = call.isOpen
    ? [`open since ${openSince.toISOString()}`, next]
    : [`ended ${settledAt?.toISOString() ?? '-'}`];
  return [kind, id, userId, issuer ?? '-', state, `${tries} tries`, ...when].join('\t');
}
