import { timeLimit } from '@fd/envelope';
import { type Transaction } from '@fd/platform';

/** How long a lease lasts unless the call says otherwise: longer than the tries of one call to a provider may take. */
export const LEASE_SECONDS = timeLimit(5);

/**
 * The request that makes a row due processes it first. After this time the worker takes it, since the request may have
 * died; with longer limits of time (`timeLimit`), too, as a lease lets one of them send.
 */
export const HAND_OVER_SECONDS = 3;

/**
 * How long a provider's refusal is repeated without another call: parallel requests get one answer, and a person who
 * has removed the cause soon gets another try.
 */
const REFUSAL_SECONDS = 30;

/** Seconds until a client polls a call without a result again: Retry-After of an answer 202. */
export const POLL_AFTER_SECONDS = '2';

/** A call without a result for this time is given up. */
export const GIVE_UP_SECONDS = 86_400;

const FIRST_RETRY_SECONDS = 10;
const LAST_RETRY_SECONDS = 900;
const LAST_POLL_SECONDS = 60;
const POLL_GROWTH = 1.5;

/** Pauses after a failed poll for a request, in which no other request makes one: a circuit is shared by all people. */
const FIRST_FAILURE_SECONDS = 2;
const LAST_FAILURE_SECONDS = 5;

/**
 * Seconds until a provider that failed is asked again.
 * @param tries failures in a row before this one
 * @param random from 0 to 1
 */
export function retrySeconds(tries: number, random: number): number {
  // the exponent is bounded, or it would reach infinity long before the day is over
  const longest = Math.min(LAST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** Math.min(tries, 10));
  return longest * (0.5 + random / 2);
}

/**
 * Seconds until a provider that has accepted a call is polled again.
 * @param firstSeconds first pause
 * @param polls before this one
 * @param random from 0 to 1
 * @param lastSeconds longest pause
 */
export function pollSeconds(
  firstSeconds: number,
  polls: number,
  random: number,
  lastSeconds = LAST_POLL_SECONDS,
): number {
  const longest = Math.min(lastSeconds, firstSeconds * POLL_GROWTH ** Math.min(polls, 20));
  return longest * (0.8 + random / 5);
}

/** As `pollSeconds`, after a poll that failed. */
export const failureSeconds = (polls: number, random: number): number =>
  pollSeconds(FIRST_FAILURE_SECONDS, polls, random, LAST_FAILURE_SECONDS);

/** The next state for each state and event. An event that is not in the table cannot happen. */
export type Transitions<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>;

/** @throws Error for an event that cannot happen in this state: a defect */
export function stateAfter<State extends string, Event extends string>(
  table: Transitions<State, Event>,
  state: State,
  event: Event,
): State {
  const next = table[state][event];
  if (next === undefined) throw new Error(`${event} cannot happen in ${state}`);
  return next;
}

/** State of a call with an unknown outcome: not sent yet, or sent without an answer. */
export const DUE = 'DUE';

/** The common columns of durable calls. All times are PostgreSQL's, so that replicas agree on them. */
export interface CallState<State extends string = string> {
  readonly id: string;
  readonly state: State;
  /** Sent with every try, so that the provider acts once. */
  readonly idempotencyKey: string;
  /** The provider's own id of a call that it has accepted. */
  readonly receipt: string | null;
  /** Failures, or polls, in a row. */
  readonly tries: number;
  readonly leaseId: string | null;
  readonly isLeased: boolean;
  /** Whether the provider's refusal is old enough to ask again. */
  readonly isCooled: boolean;
  /** Whether the call has been open for so long that it is given up. */
  readonly isOverdue: boolean;
}

/** Answer of a provider. `forgotten`: it no longer knows a call that it had accepted. */
export type ProviderAnswer<Result> =
  | { readonly state: 'settled'; readonly result: Result }
  | {
      readonly state: 'accepted';
      /** Undefined when the provider knows the call by our id; the table has no such column then. */
      readonly receipt?: string;
    }
  | { readonly state: 'forgotten' };

export const settledWith = <Result>(result: Result): ProviderAnswer<Result> => ({ state: 'settled', result });

/**
 * One kind of call to a provider that must take effect exactly once, across crashes. `DurableCalls` runs it; this
 * definition is its specific part. Its table has the columns of `CALL_COLUMNS`, `next_try_at`, `lease_id`,
 * `leased_until`, `due_since` and `settled_at`.
 */
export interface DurableCall<Row extends CallState, Result, Locked extends Row = Row> {
  /** Name in the log. */
  readonly name: string;
  /** In the schema `onboarding`. */
  readonly table: string;
  /** State while the provider works on a call that it has accepted. */
  readonly acceptedState: Row['state'];
  readonly transitions: Transitions<string, 'ACCEPTED' | 'FORGOTTEN'>;
  /** SQL about the row `t`: whether an open row has work to do. Default: always. */
  readonly readyWhen?: string;
  /** First pause between two polls of the provider. */
  readonly firstPollSeconds: number;
  /** Longest pause between two polls of the provider. Default: a minute. */
  readonly lastPollSeconds?: number;
  /** Whether a request waits while the provider works on the call; for calls that take a moment. Default: no. */
  readonly isAwaitedWhenAccepted?: boolean;
  /**
   * Whether a request polls an accepted call early, because the person may just have completed it; after a failed poll
   * not within `failureSeconds`.
   */
  readonly isPolledByRequests?: boolean;
  /** Duration of a lease, for calls that take longer than usual. */
  readonly leaseSeconds?: number;

  find(id: string): Promise<Row>;

  /**
   * Sends the call with the key of the row or, once accepted, polls it. Runs outside of any transaction.
   * @returns undefined if nothing is left to send; the row is settled then
   * @throws ProviderError
   */
  ask(row: Row): Promise<ProviderAnswer<Result> | undefined>;

  /** Locks the row, after the rows that other code locks before it. */
  lock(transaction: Transaction, row: Row): Promise<Locked>;

  /** Writes the result and its consequences. */
  settle(transaction: Transaction, row: Locked, result: Result): Promise<void>;

  /**
   * Settles a call that the provider has forgotten and that must not be sent again.
   * @returns false if it is to be sent again with the same key
   */
  settleForgotten?(transaction: Transaction, row: Locked): Promise<boolean>;

  /** Settles a call without a result after a day. Reads nothing encrypted, because decryption may be what fails. */
  giveUp(transaction: Transaction, id: string, state: Row['state']): Promise<void>;
}

/** Selects a `CallState` without its id, key and receipt. */
export const LEASE_COLUMNS = `
  state, tries, lease_id AS "leaseId",
  coalesce(leased_until > now(), false) AS "isLeased",
  coalesce(settled_at < now() - make_interval(secs => ${REFUSAL_SECONDS}), false) AS "isCooled",
  due_since < now() - make_interval(secs => ${GIVE_UP_SECONDS}) AS "isOverdue"`;

/** Selects a `CallState`. */
export const CALL_COLUMNS = `id, idempotency_key AS "idempotencyKey", receipt, ${LEASE_COLUMNS}`;

/** `next_try_at` of a call that the current request sends itself. */
export const HANDED_OVER_AT = `now() + make_interval(secs => ${HAND_OVER_SECONDS})`;

/** Assignments of an UPDATE that release the lease. */
export const RELEASED = 'lease_id = NULL, leased_until = NULL';

/** Assignments of an UPDATE to a state with a result. */
export const SETTLED = `tries = 0, settled_at = now(), ${RELEASED}`;

/** Assignments of an UPDATE back to DUE. */
export const DUE_AGAIN = `receipt = NULL, tries = 0, next_try_at = ${HANDED_OVER_AT}, due_since = now(),
  settled_at = NULL, ${RELEASED}`;
