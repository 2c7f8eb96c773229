import pg from 'pg';
import { sqlVerb, type StoreCalls } from '../observability/store-calls.js';
import { READ_ONLY } from './database-errors.js';

/** The driver's own word for a query that was not answered within `query_timeout`. */
const UNANSWERED = 'Query read timeout';

/**
 * A connection that is dropped once a query on it was not answered in time, or was refused because the server takes no
 * writes. The driver itself would leave it in the pool: with the query, and its transaction, still open in the server;
 * with a peer that is gone for good; or at a server that was primary before a failover, for as long as that lives.
 */
export class BoundedClient extends pg.Client {
  private readonly calls: StoreCalls | undefined;

  /** @param config calls: told of every statement */
  constructor(config?: pg.ClientConfig & { readonly calls?: StoreCalls }) {
    super(config);
    this.calls = config?.calls;
    // a connection may break once more after the pool has taken it away, when nobody listens: that ends no process
    this.on('error', () => undefined);
  }

  override query(...args: unknown[]): never {
    const end = this.calls?.begin('postgres', sqlVerb(args[0]));
    const result: unknown = Reflect.apply(super.query.bind(this), undefined, args);
    if (result instanceof Promise) {
      result.then(
        () => end?.('ok'),
        (error: unknown) => {
          end?.('failed');
          if (isOfNoMoreUse(error as pg.DatabaseError)) this.drop();
        },
      );
    }
    return result as never;
  }

  private drop(): void {
    const { connection } = this as unknown as { connection: { stream: { destroy(): void } } };
    connection.stream.destroy();
  }
}

const isOfNoMoreUse = ({ message, code }: pg.DatabaseError): boolean =>
  message === UNANSWERED || code === READ_ONLY;
