import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { remainingMs, requestStore, timeLimit } from '@fd/envelope';
import { ProviderError, reasonOf } from '@fd/errors';
import { isDatabaseUnavailable } from '@fd/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { ProviderCallLimit } from '../caller/provider-call-limit.js';
import {
  type CallState,
  DUE,
  type DurableCall,
  failureSeconds,
  pauseSeconds,
  pollSeconds,
  type ProviderAnswer,
  stateAfter,
} from './durable-call.js';
import { DurableCallsRepository, type Lease, type Pause, type Some } from './durable-calls.repository.js';
import { LOOK_AGAIN_MS, WaitingCallers } from './waiting-callers.js';

/** With less time left, a request leaves the call to the worker. */
const MIN_CALL_MS = timeLimit(700);
/** The rows of one kind in a round, the oldest first: fewer than a provider accepts at once, which leaves room for requests. */
const ROUND: Some = { where: 'true', parameters: {}, orderBy: 't.nextTryAt', limit: 10 };
/** Pause after a defect, which does not go away by itself. */
const DEFECT_SECONDS = 60;
/** How long the outcome of a call that is not repeated waits for PostgreSQL; less than a lease lasts after the call. */
const KEEP_MS = timeLimit(4_000);
const KEEP_PAUSE_MS = 250;

/** A definition of any kind of call. It receives only rows and results that it returned itself. */
type AnyCall = DurableCall<CallState, unknown, CallState, unknown>;

/**
 * Runs durable calls. Each step leases a row, calls the provider outside of any transaction, and writes the outcome in
 * one. After a crash the next holder of the lease repeats at most one call, with the same key.
 */
@Injectable()
export class DurableCalls implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(DurableCalls.name);
  /** Calls that may outlast their requests. */
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly leases: DurableCallsRepository,
    private readonly limit: ProviderCallLimit,
    private readonly waiting: WaitingCallers,
  ) {}

  /**
   * Brings a call to its result for a request: calls the provider, or waits for the holder of the lease.
   * @returns the current row. It is still open if no time is left, the provider is still working, the poll limit is
   * reached, or too many requests of the user wait
   * @throws ProviderError if the provider failed for this request or the one it waited for
   */
  async bringToResult<Row extends CallState>(
    call: DurableCall<Row, unknown, Row, unknown>,
    { id, tries, state }: Row,
  ): Promise<Row> {
    // also while it is opened: a provider that refuses to would be called for each request
    if (call.isPolledByRequests && !(await this.limit.allowsPoll(id))) return call.find(id);
    let leave: (() => void) | undefined;
    try {
      for (;;) {
        const row = await call.find(id);
        if (!isOpen(call, row) || remainingMs() < MIN_CALL_MS) return row;
        if (row.state === DUE && row.tries > tries)
          throw new ProviderError(call.name, 'unavailable', { detail: 'a parallel try failed' });
        // a parallel request got it accepted meanwhile
        if (state === DUE && row.state === call.kind.acceptedState && !call.isAwaitedWhenAccepted) return row;
        const lease = await this.leases.leaseRow(call, id);
        if (lease) {
          await this.advance(call, lease);
          if (!call.isAwaitedWhenAccepted) return await call.find(id);
        } else if (row.state === call.kind.acceptedState && !row.isLeased && !isAwaited(call)) {
          return row;
        } else {
          leave ??= this.waiting.enter(requestStore()?.userId ?? id);
          if (!leave) return row;
          await sleep(LOOK_AGAIN_MS);
        }
      }
    } finally {
      leave?.();
    }
  }

  /**
   * Makes a call that its request has created and leased, whose provider is asked only once. Its outcome survives a short outage of
   * PostgreSQL.
   * @returns what `settle` returns; undefined if nothing was left to do
   */
  async start<Row extends CallState, Outcome>(
    call: DurableCall<Row, unknown, Row, Outcome>,
    row: Row,
  ): Promise<Outcome | undefined> {
    const answer = await call.ask(row);
    if (!answer) return undefined;
    for (const until = performance.now() + KEEP_MS; ;) {
      try {
        return (await this.keep(call, row, row.leaseId!, answer)) as Outcome | undefined;
      } catch (error) {
        if (!isDatabaseUnavailable(error) || performance.now() > until) throw error;
        await sleep(KEEP_PAUSE_MS);
      }
    }
  }

  /** Lets the shutdown wait for work that may outlast its request. */
  async untilDone<T>(work: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = work
      .catch(() => undefined)
      .finally(() => this.underWay.delete(settled));
    this.underWay.add(settled);
    return work;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.finish();
  }

  /** Waits again: requests accepted meanwhile have started calls. */
  async onApplicationShutdown(): Promise<void> {
    await this.finish();
  }

  private async finish(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  /** Advances due rows of one kind, for a worker. A failing row does not delay the others. */
  async advanceDue(call: AnyCall): Promise<void> {
    await this.advanceSome(call, ROUND);
  }

  /** As `advanceDue`, of some rows. @returns how many were due */
  async advanceSome(call: AnyCall, some: Some): Promise<number> {
    const leases = await this.leases.leaseDueRows(call, some);
    await Promise.all(
      leases.map(async (lease) => {
        try {
          await this.advance(call, lease);
        } catch (error) {
          // already logged, and the row is postponed
          if (error instanceof ProviderError) return;
          const reason = reasonOf(error);
          const { name, kind } = call;
          this.logger.error({
            msg: `an open ${name} row was not advanced`,
            table: kind.name,
            id: lease.id,
            reason,
          });
          // if this write fails too, the lease expires
          await this.postpone(call, lease, { seconds: DEFECT_SECONDS, heldSeconds: 0 }).catch(
            () => undefined,
          );
        }
      }),
    );
    return leases.length;
  }

  /** For a webhook: makes the next poll of a call that a provider has accepted due now. */
  async pollNow(call: AnyCall, provider: string, id: string): Promise<void> {
    await this.leases.pollNow(call.kind, provider, id);
  }

  /** One step of a leased row. @throws ProviderError the row has been postponed */
  private async advance(call: AnyCall, lease: Lease): Promise<void> {
    const row = await call.find(lease.id);
    const answer = await call.ask(row).catch(async (error: unknown) => {
      if (error instanceof ProviderError) {
        const isPoll = call.isPolledByRequests && row.state === call.kind.acceptedState;
        await this.postpone(call, lease, {
          seconds: pauseSeconds(call, row, Math.random()),
          heldSeconds: isPoll ? failureSeconds(row.tries, Math.random()) : 0,
        });
      }
      throw error;
    });
    if (answer) await this.keep(call, row, lease.leaseId, answer);
  }

  /** Writes an answer, unless the lease was lost: a later lease holder uses the same key and writes the same outcome. */
  private async keep(
    call: AnyCall,
    row: CallState,
    leaseId: string,
    answer: ProviderAnswer<unknown>,
  ): Promise<unknown> {
    return this.dataSource.transaction(async (tx) => {
      const locked = await call.lock(tx, row);
      return locked.leaseId === leaseId ? this.write(tx, call, locked, answer) : undefined;
    });
  }

  private async write(
    tx: EntityManager,
    call: AnyCall,
    row: CallState,
    answer: ProviderAnswer<unknown>,
  ): Promise<unknown> {
    if (answer.state === 'settled') return call.settle(tx, row, answer.result);
    const isForgotten = answer.state === 'forgotten';
    if (isForgotten && (await call.settleForgotten?.(tx, row))) return;
    if (row.isOverdue) return call.giveUp(tx, row.id, row.state);
    const tries = !isForgotten && row.state === call.kind.acceptedState ? row.tries + 1 : 0;
    await this.leases.keepOpen(tx, call.kind, row.id, {
      state: stateAfter(call.transitions, row.state, isForgotten ? 'FORGOTTEN' : 'ACCEPTED'),
      receipt: isForgotten ? null : answer.receipt,
      tries,
      seconds: pollSeconds(call.firstPollSeconds, tries, Math.random(), call.lastPollSeconds),
    });
  }

  private async postpone(call: AnyCall, lease: Lease, pause: Pause): Promise<void> {
    const isOverdue = await this.leases.postpone(call.kind, lease, pause);
    if (!isOverdue) return;
    await this.dataSource.transaction(async (tx) => {
      const state = await this.leases.lockOverdue(tx, call.kind, lease.id);
      if (state !== undefined) await call.giveUp(tx, lease.id, state);
    });
  }
}

/** Whether a request rereads an accepted call that it could not lease. */
function isAwaited(call: Pick<AnyCall, 'isAwaitedWhenAccepted' | 'isPolledByRequests'>): boolean {
  return (call.isAwaitedWhenAccepted ?? false) || (call.isPolledByRequests ?? false);
}

function isOpen({ kind }: Pick<AnyCall, 'kind'>, { state }: CallState): boolean {
  return state === DUE || state === kind.acceptedState;
}
