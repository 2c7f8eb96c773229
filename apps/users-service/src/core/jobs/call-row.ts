import { VirtualColumn } from 'typeorm';
import { GIVE_UP_SECONDS, REFUSAL_SECONDS } from './durable-call.js';

export interface CallColumns {
  readonly id: string;
  readonly state: string;
  /** Failures, or polls, in a row. */
  readonly tries: number;
  readonly nextTryAt: Date;
  readonly leaseId: string | null;
  readonly leasedUntil: Date | null;
  readonly dueSince: Date;
  readonly settledAt: Date | null;
}

/** What PostgreSQL's clock says about a durable call; replicas agree on it. Base class of the entities. */
export abstract class CallClock {
  @VirtualColumn('boolean', { query: (row) => `coalesce(${row}.leased_until > now(), false)` })
  readonly isLeased: boolean;

  /** Whether the provider's refusal is old enough to ask again. */
  @VirtualColumn('boolean', {
    query: (row) => `coalesce(${row}.settled_at < now() - make_interval(secs => ${REFUSAL_SECONDS}), false)`,
  })
  readonly isCooled: boolean;

  /** Whether the call has been open for so long that it is given up. */
  @VirtualColumn('boolean', {
    query: (row) => `${row}.due_since < now() - make_interval(secs => ${GIVE_UP_SECONDS})`,
  })
  readonly isOverdue: boolean;
}
