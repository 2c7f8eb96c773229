import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { remainingMs } from '@fd/envelope';
import { ProviderError, reasonOf } from '@fd/errors';
import { currentUserId, type Transaction } from '@fd/platform';
import { ProviderCallLimit } from '../caller/provider-call-limit.js';
import {
  type CallState,
  DUE,
  type DurableCall,
  pollSeconds,
  type ProviderAnswer,
  retrySeconds,
  stateAfter,
} from './durable-call.js';
import { DurableCallsRepository, type Lease } from './durable-calls.repository.js';
import { WaitingCallers } from './waiting-callers.js';

/** A request with less time left sends nothing: the worker does. */
const MIN_CALL_MS = 700;
/** Pause between two looks at a row that another request or replica works on. */
const LOOK_AGAIN_MS = 50;
/** Rows of one kind in a round: fewer than one provider takes at once, which leaves room for requests. */
const ROUND_ROWS = 10;
/** Pause after a defect, which does not go away by itself. */
const DEFECT_SECONDS = 60;

/** A definition of any kind of call. It is only given rows and results that it returned itself. */
type AnyCall = DurableCall<CallState, unknown>;

/**
 * Runs durable calls. Each step leases a row, asks the provider outside of any transaction, and writes the outcome
 * in one. After a crash the next holder of the lease repeats at most one call, with the same key.
 */
@Injectable()
export class DurableCalls {
  private readonly logger = new Logger(DurableCalls.name);

  constructor(
    private readonly rows: DurableCallsRepository,
    private readonly limit: ProviderCallLimit,
    private readonly waiting: WaitingCallers,
  ) {}

  /**
   * Brings a call to its result for a request: asks the provider, or waits for the holder of the lease to do so.
   * @returns the row as it is then; still open when no time is left, the provider works on it, it was asked often enough, or
   * enough other requests of the user wait
   * @throws ProviderError when the provider failed, for this request or for the one it waited for
   */
  async bringToResult<Row extends CallState>(
    call: DurableCall<Row, unknown>,
    { id, tries, state }: Row,
  ): Promise<Row> {
    const isPoll = call.isPolledByRequests === true && state === call.acceptedState;
    if (isPoll && !(await this.limit.allowsPoll(id))) return call.find(id);
    let leave: (() => void) | undefined;
    try {
      for (;;) {
        const row = await call.find(id);
        if (!isOpen(call, row) || remainingMs() < MIN_CALL_MS) return row;
        if (row.state === DUE && row.tries > tries)
          throw new ProviderError(call.name, 'unavailable', { detail: 'a parallel try failed' });
        // a parallel call has got it accepted meanwhile: nobody asks again for this one
        if (state === DUE && row.state === call.acceptedState && !call.isAwaitedWhenAccepted) return row;
        const lease = await this.rows.leaseRow(call, id);
        if (lease) {
          await this.advance(call, lease);
          if (!call.isAwaitedWhenAccepted) return await call.find(id);
        } else if (row.state === call.acceptedState && !row.isLeased && !isAwaited(call)) {
          return row;
        } else {
          leave ??= this.waiting.enter(currentUserId() ?? id);
          if (!leave) return row;
          await sleep(LOOK_AGAIN_MS);
        }
      }
    } finally {
      leave?.();
    }
  }

  /** Takes the due rows of one kind a step further, for a worker. A row that fails does not hold up the others. */
  async advanceDue(call: AnyCall): Promise<void> {
    const leases = await this.rows.leaseDueRows(call, ROUND_ROWS);
    await Promise.all(
      leases.map(async (lease) => {
        try {
          await this.advance(call, lease);
        } catch (error) {
          // the provider's failure is in the log already, and the row has been postponed
          if (error instanceof ProviderError) return;
          const reason = reasonOf(error);
          const { name, table } = call;
          this.logger.error({ msg: `an open ${name} row was not moved on`, table, id: lease.id, reason });
          // if not even that can be written, the lease expires
          await this.postpone(call, lease, DEFECT_SECONDS).catch(() => undefined);
        }
      }),
    );
  }

  /** One step of a leased row. @throws ProviderError the row has been postponed */
  private async advance(call: AnyCall, lease: Lease): Promise<void> {
    const row = await call.find(lease.id);
    const answer = await call.ask(row).catch(async (error: unknown) => {
      if (error instanceof ProviderError)
        await this.postpone(call, lease, retrySeconds(row.tries, Math.random()));
      throw error;
    });
    if (!answer) return;
    await this.rows.transaction(async (transaction) => {
      const locked = await call.lock(transaction, row);
      // the holder of a later lease asks with the same key and writes the same
      if (locked.leaseId === lease.leaseId) await this.write(transaction, call, locked, answer);
    });
  }

  private async write(
    transaction: Transaction,
    call: AnyCall,
    row: CallState,
    answer: ProviderAnswer<unknown>,
  ): Promise<void> {
    if (answer.state === 'settled') return call.settle(transaction, row, answer.result);
    const isForgotten = answer.state === 'forgotten';
    if (isForgotten && (await call.settleForgotten?.(transaction, row))) return;
    if (row.isOverdue) return call.giveUp(transaction, row.id, row.state);
    const tries = !isForgotten && row.state === call.acceptedState ? row.tries + 1 : 0;
    await this.rows.keepOpen(transaction, call, row.id, {
      state: stateAfter(call.transitions, row.state, isForgotten ? 'FORGOTTEN' : 'ACCEPTED'),
      receipt: isForgotten ? null : answer.receipt,
      tries,
      seconds: pollSeconds(call.firstPollSeconds, tries, Math.random(), call.lastPollSeconds),
    });
  }

  /** Gives a row back after a failure, or gives it up when it has failed for a day. */
  async postpone(call: AnyCall, lease: Lease, seconds: number): Promise<void> {
    const isOverdue = await this.rows.postpone(call, lease, seconds);
    if (!isOverdue) return;
    await this.rows.transaction(async (transaction) => {
      const state = await this.rows.lockOverdue(transaction, call, lease.id);
      if (state !== undefined) await call.giveUp(transaction, lease.id, state);
    });
  }
}

/** Whether a request looks again at an accepted call that it could not lease. */
function isAwaited(call: Pick<AnyCall, 'isAwaitedWhenAccepted' | 'isPolledByRequests'>): boolean {
  return call.isAwaitedWhenAccepted || call.isPolledByRequests === true;
}

function isOpen(call: { readonly acceptedState: string }, { state }: CallState): boolean {
  return state === DUE || state === call.acceptedState;
}
