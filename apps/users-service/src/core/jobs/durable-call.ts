import { timeLimit } from '@fd/envelope';
import type { EntityManager } from 'typeorm';
import type { CallKind } from './call-kind.js';
import type { CallClock, CallColumns } from './call-row.js';

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
export const REFUSAL_SECONDS = 30;

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

/** Seconds until a provider that failed is asked again, after TRIES failures in a row before this one. RANDOM: 0 to 1. */
export function retrySeconds(tries: number, random: number): number {
  // the exponent is bounded, or it would reach infinity long before the day is over
  const longest = Math.min(LAST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** Math.min(tries, 10));
  return longest * (0.5 + random / 2);
}

/** Seconds until a provider that has accepted a call is polled again, after POLLS polls before this one. RANDOM: 0 to 1. */
export function pollSeconds(
  firstSeconds: number,
  polls: number,
  random: number,
  lastSeconds = LAST_POLL_SECONDS,
): number {
  const longest = Math.min(lastSeconds, firstSeconds * POLL_GROWTH ** Math.min(polls, 20));
  return longest * (0.8 + random / 5);
}

/** For requests: as `pollSeconds`, after a poll that failed. */
export const failureSeconds = (polls: number, random: number): number =>
  pollSeconds(FIRST_FAILURE_SECONDS, polls, random, LAST_FAILURE_SECONDS);

/**
 * Seconds until the worker tries a call again after a failure. A failed poll is repeated at the pace of polls, and not at that of failures:
 * the number of tries says how long the provider has worked on the call.
 */
export function pauseSeconds(
  call: Pick<DurableCall<CallState, unknown>, 'firstPollSeconds' | 'lastPollSeconds' | 'retrySeconds'>,
  { state, tries }: Pick<CallColumns, 'state' | 'tries'>,
  random: number,
): number {
  if (state === DUE) return (call.retrySeconds ?? retrySeconds)(tries, random);
  const poll = pollSeconds(call.firstPollSeconds, tries, random, call.lastPollSeconds);
  return Math.max(retrySeconds(0, random), poll);
}

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

export type CallState<State extends string = string> = Pick<CallColumns, 'id' | 'tries' | 'leaseId'> &
  CallClock & { readonly state: State };

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
 * definition is its specific part.
 */
export interface DurableCall<Row extends CallState, Result, Locked extends Row = Row, Outcome = void> {
  readonly name: string;
  readonly kind: CallKind;
  readonly transitions: Transitions<string, 'ACCEPTED' | 'FORGOTTEN'>;
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
  /** Pause after a failure, see the function of this name. Default: that function. */
  readonly retrySeconds?: typeof retrySeconds;

  find(id: string): Promise<Row>;

  /**
   * Sends the call with the key of the row or, once accepted, polls it. Runs outside of any transaction.
   * @returns undefined if nothing is left to send; the row is settled then
   * @throws ProviderError
   */
  ask(row: Row): Promise<ProviderAnswer<Result> | undefined>;

  /** Locks the row, after the rows that other code locks before it. */
  lock(tx: EntityManager, row: Row): Promise<Locked>;

  /** Writes the result and its consequences. @returns what `DurableCalls.start` returns */
  settle(tx: EntityManager, row: Locked, result: Result): Promise<Outcome>;

  /**
   * Settles a call that the provider has forgotten and that must not be sent again.
   * @returns false if it is to be sent again with the same key
   */
  settleForgotten?(tx: EntityManager, row: Locked): Promise<boolean>;

  /** Settles a call without a result after a day. Reads nothing encrypted, because decryption may be what fails. */
  giveUp(tx: EntityManager, id: string, state: Row['state']): Promise<void>;
}

const NOW = (): string => 'now()';

/** `nextTryAt` of a call that the current request sends itself. */
export const HANDED_OVER_AT = (): string => `now() + make_interval(secs => ${HAND_OVER_SECONDS})`;

export const RELEASED = { leaseId: null, leasedUntil: null } as const;

export const SETTLED = { ...RELEASED, tries: 0, settledAt: NOW } as const;

/** Values of an UPDATE back to DUE: for the worker, now. */
export const REOPENED = { tries: 0, nextTryAt: NOW, dueSince: NOW, settledAt: null } as const;

/** Values of an UPDATE back to DUE: for the request that makes it. */
export const DUE_AGAIN = { ...REOPENED, ...RELEASED, nextTryAt: HANDED_OVER_AT } as const;
