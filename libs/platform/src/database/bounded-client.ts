import pg, { type QueryResult } from 'pg';
import { sqlVerb, type StoreCalls } from '../observability/store-calls.js';
import { READ_ONLY } from './database-errors.js';
import { hasLostStatement, isOutdated, type StatementNames } from './statement-names.js';

/** The driver's message for a query that exceeds `query_timeout`. */
const UNANSWERED = 'Query read timeout';

interface BoundedClientConfig extends pg.ClientConfig {
  /** Observes every statement. */
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
  private readonly calls: StoreCalls | undefined;
  private readonly names: StatementNames | undefined;
  /** Names of prepared statements; none if a pooler shares the connection. */
  private readonly hasRun = new Set<string>();
  private isGathering = false;
  /** Whether the connection is unusable. */
  isBroken = false;

  constructor(config?: BoundedClientConfig) {
    super({ ...config, pipeline: true });
    this.calls = config?.calls;
    this.names = config?.names;
    // a removed connection may fail again without a listener, which must not end the process
    this.on('error', () => undefined);
  }

  /** TypeORM's accessor of the connection. */
  override query(...args: unknown[]): never {
    const [text, values, callback] = args;
    const isPlain = typeof text === 'string' && callback === undefined;
    const result: unknown = isPlain
      ? this.run(text, values as unknown[] | undefined)
      : Reflect.apply(super.query.bind(this), undefined, args);
    return result as never;
  }

  /** @param end called with the outcome */
  run(
    text: string,
    values?: readonly unknown[],
    end = this.calls?.begin('postgres', sqlVerb(text), text),
  ): Promise<QueryResult> {
    return new Promise((resolve, reject) =>
      this.send(text, values, end, (error, result) => (error ? reject(error) : resolve(result))),
    );
  }

  /**
   * As `run`, without promises: those of the driver and around it are a kilobyte for each statement.
   * @param done called once, with an error or the result
   */
  send(
    text: string,
    values: readonly unknown[] | undefined,
    end: ReturnType<StoreCalls['begin']> | undefined,
    done: (error: Error | undefined, result: QueryResult) => void,
  ): void {
    this.gather();
    // only parameterised statements are prepared; others need little planning
    const name = values && values.length > 0 ? this.names?.nameFor(text) : undefined;
    // given its parts, because the driver copies an object by its property descriptors: a kilobyte for each statement
    const query = new pg.Query(text, values as unknown[], (error, result) => {
      end?.(error ? 'failed' : 'ok');
      if (error) this.judge(error, name);
      else if (name !== undefined) this.hasRun.add(name);
      done(error, result);
    });
    super.query(Object.assign(query, { name }));
  }

  /** Batches the messages of one tick into one write, because a socket write costs more than the rest of a statement. */
  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    const { stream } = this.connection;
    stream.cork();
    process.nextTick(() => {
      this.isGathering = false;
      stream.uncork();
    });
  }

  /** Closes the connection at once, so that the pool does not reuse it. */
  discard(): void {
    this.isBroken = true;
    void this.end();
  }

  private judge(error: Error & { code?: string; routine?: string }, name: string | undefined): void {
    const isLost = hasLostStatement(error, name === undefined || this.hasRun.has(name));
    if (isLost) this.names?.disable();
    // the driver itself closes the socket of an unanswered query
    if (isLost || error.message === UNANSWERED || error.code === READ_ONLY || isOutdated(error))
      this.discard();
  }
}
