import pg from 'pg';

/** The driver's own word for a query that was not answered within `query_timeout`. */
const UNANSWERED = 'Query read timeout';

/**
 * A connection that is dropped once a query on it was not answered in time. The driver itself would leave it in
 * the pool: with the query, and its transaction, still open in the server, or with a peer that is gone for good.
 */
export class BoundedClient extends pg.Client {
  override query(...args: unknown[]): never {
    const result: unknown = Reflect.apply(super.query.bind(this), undefined, args);
    if (result instanceof Promise) {
      result.catch((error: unknown) => {
        if ((error as Error).message === UNANSWERED) this.drop();
      });
    }
    return result as never;
  }

  private drop(): void {
    const { connection } = this as unknown as { connection: { stream: { destroy(): void } } };
    connection.stream.destroy();
  }
}
