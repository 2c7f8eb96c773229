import { atLimit } from '@fd/envelope';
import pg, { type QueryResult } from 'pg';
import { sqlVerb, type StoreCalls } from '../observability/store-calls.js';
import { READ_ONLY } from './database-errors.js';
import { hasLostStatement, isOutdated, type StatementNames } from './statement-names.js';

/** The error of a statement that exceeds `answerLimitMs`, and of all behind it. */
const UNANSWERED = 'Query read timeout';

interface BoundedClientConfig extends pg.ClientConfig {
  /**
   * Milliseconds after which an unanswered statement fails; unlimited if absent. Replaces the driver's `query_timeout`, which
   * also fails statements whose answers came while the process was blocked or paused: see `atLimit`.
   */
  readonly answerLimitMs?: number;
  readonly calls?: StoreCalls;
  /** Names of the connection's prepared statements. */
  readonly names?: StatementNames;
}

/**
 * A connection that the pool drops after a query times out, or is refused because the server is read-only or has lost a
 * prepared statement. The driver itself would keep it in the pool: with an open query and transaction, with a dead peer,
 * or at the former primary after a failover.
 *
 * Statements do not wait for the previous answer (`pipelined`).
 */
export class BoundedClient extends pg.Client {
  /** Names of prepared statements; none if a pooler shares the connection. */
  private readonly hasRun = new Set<string>();
  isBroken = false;

  constructor(private readonly bounds: BoundedClientConfig = {}) {
    super({ ...bounds, pipeline: true });
    // a removed connection may fail again without a listener, which must not end the process
    this.on('error', () => undefined);
  }

  /** TypeORM's accessor of the connection: with values, or with a callback while it connects. */
  override query(...args: unknown[]): never {
    const [text, last] = args as [string, unknown];
    if (typeof last !== 'function') return this.run(text, last as unknown[] | undefined) as never;
    const answer = last as (error: unknown, result?: QueryResult) => void;
    return void this.run(text).then((result) => answer(undefined, result), answer) as never;
  }

  run(text: string, values?: readonly unknown[]): Promise<QueryResult> {
    const end = this.bounds.calls?.begin('postgres', sqlVerb(text), text);
    return new Promise((resolve, reject) =>
      this.send(text, values, end, (error, result) => (error ? reject(error) : resolve(result))),
    );
  }

  /**
   * As `run`, without promises: those of the driver and around it are a kilobyte for each statement.
   * @param end called with the outcome @param done called once, with an error or the result
   */
  send(
    text: string,
    values: readonly unknown[] | undefined,
    end: ReturnType<StoreCalls['begin']> | undefined,
    done: (error: Error | undefined, result: QueryResult) => void,
  ): void {
    this.gather();
    // answers behind a missing one cannot be read either
    const drop = (): unknown => this.connection.stream.destroy(new Error(UNANSWERED));
    const { answerLimitMs, names } = this.bounds;
    const cancel = answerLimitMs === undefined ? undefined : atLimit(drop, answerLimitMs);
    // only parameterised statements are prepared; others need little planning
    const name = values && values.length > 0 ? names?.nameFor(text) : undefined;
    // given its parts, because the driver copies an object by its property descriptors: a kilobyte for each statement
    const query = new pg.Query(text, values as unknown[], (error, result) => {
      cancel?.();
      end?.(error ? 'failed' : 'ok');
      if (error) this.judge(error, name);
      else if (name !== undefined) this.hasRun.add(name);
      done(error, result);
    });
    super.query(Object.assign(query, { name }));
  }

  /** Batches the messages of one tick into one write, because a socket write costs more than the rest of a statement. */
  private gather(): void {
    const { stream } = this.connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  /** Closes the connection at once, so that the pool does not reuse it. */
  discard(): void {
    this.isBroken = true;
    void this.end();
  }

  private judge(error: Error & { code?: string; routine?: string }, name: string | undefined): void {
    const isLost = hasLostStatement(error, name === undefined || this.hasRun.has(name));
    if (isLost) this.bounds.names?.disable();
    if (isLost || error.message === UNANSWERED || error.code === READ_ONLY || isOutdated(error))
      this.discard();
  }
}
