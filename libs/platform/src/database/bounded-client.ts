import pg from 'pg';
import { sqlVerb, type StoreCalls } from '../observability/store-calls.js';
import { READ_ONLY } from './database-errors.js';
import { isNotKept, isOutdated, type StatementNames } from './statement-names.js';

/** The driver's own word for a query that was not answered within `query_timeout`. */
const UNANSWERED = 'Query read timeout';

export interface BoundedClientConfig extends pg.ClientConfig {
  /** Told of every statement. */
  readonly calls?: StoreCalls;
  /** Of the statements that the connection is to keep. */
  readonly names?: StatementNames;
}

/**
 * A connection that is dropped once a query on it was not answered in time, or was refused because the server takes no
 * writes or can do nothing with the statement that it was to keep. The driver itself would leave it in the pool: with the
 * query, and its transaction, still open in the server; with a peer that is gone for good; or at a server that was primary
 * before a failover, for as long as that lives.
 */
export class BoundedClient extends pg.Client {
  private readonly calls: StoreCalls | undefined;
  private readonly names: StatementNames | undefined;

  constructor(config?: BoundedClientConfig) {
    super(config);
    this.calls = config?.calls;
    this.names = config?.names;
    // a connection may break once more after the pool has taken it away, when nobody listens: that ends no process
    this.on('error', () => undefined);
  }

  override query(...args: unknown[]): never {
    const end = this.calls?.begin('postgres', sqlVerb(args[0]));
    const result: unknown = Reflect.apply(super.query.bind(this), undefined, this.named(args));
    if (result instanceof Promise) {
      result.then(
        () => end?.('ok'),
        (error: unknown) => {
          end?.('failed');
          if (isNotKept(error as pg.DatabaseError)) this.names?.giveUp();
          if (isOfNoMoreUse(error as pg.DatabaseError)) this.drop();
        },
      );
    }
    return result as never;
  }

  /** A text with values is kept under its name; what has none is no work to plan. */
  private named(args: unknown[]): unknown[] {
    const [text, values, ...others] = args;
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return args;
    const name = this.names?.of(text);
    return name === undefined ? args : [{ name, text, values: values as unknown[] }, ...others];
  }

  private drop(): void {
    // marked at once, so that the pool hands it to nobody before it is closed
    this.end().catch(() => undefined);
    const { connection } = this as unknown as { connection: { stream: { destroy(): void } } };
    connection.stream.destroy();
  }
}

const isOfNoMoreUse = (error: pg.DatabaseError): boolean =>
  error.message === UNANSWERED || error.code === READ_ONLY || isNotKept(error) || isOutdated(error);
