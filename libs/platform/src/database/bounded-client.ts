import type { Duplex } from 'node:stream';
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
 *
 * Statements do not wait for the answer to the one before, and those that a transaction begins in one turn leave in one
 * piece (`pipelined`).
 */
export class BoundedClient extends pg.Client {
  private readonly calls: StoreCalls | undefined;
  private readonly names: StatementNames | undefined;
  /** Names of statements: those that the connection keeps, unless somebody else uses it too. */
  private readonly hasRun = new Set<string>();
  private isGathering = false;

  constructor(config?: BoundedClientConfig) {
    super({ ...config, pipeline: true });
    this.calls = config?.calls;
    this.names = config?.names;
    // a connection may break once more after the pool has taken it away, when nobody listens: that ends no process
    this.on('error', () => undefined);
  }

  override query(...args: unknown[]): never {
    const end = this.calls?.begin('postgres', sqlVerb(args[0]));
    const { name, asked } = this.named(args);
    this.gather();
    const result: unknown = Reflect.apply(super.query.bind(this), undefined, asked);
    if (result instanceof Promise) {
      result.then(
        () => {
          end?.('ok');
          if (name !== undefined) this.hasRun.add(name);
        },
        (error: unknown) => {
          end?.('failed');
          this.judge(error as pg.DatabaseError, name);
        },
      );
    }
    return result as never;
  }

  /** A text with values is kept under its name; what has none is no work to plan. */
  private named(args: unknown[]): { name?: string; asked: unknown[] } {
    const [text, values, ...others] = args;
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return { asked: args };
    const name = this.names?.of(text);
    if (name === undefined) return { asked: args };
    return { name, asked: [{ name, text, values: values as unknown[] }, ...others] };
  }

  /** Holds back what a transaction writes until the end of this turn. Outside of one a statement is alone. */
  private gather(): void {
    if (this.isGathering || this.getTransactionStatus() !== 'T') return;
    const { stream } = this;
    this.isGathering = true;
    stream.cork();
    process.nextTick(() => {
      this.isGathering = false;
      stream.uncork();
    });
  }

  private judge(error: pg.DatabaseError, name: string | undefined): void {
    const isLost = isNotKept(error, name === undefined || this.hasRun.has(name));
    if (isLost) this.names?.giveUp();
    if (isLost || isOfNoMoreUse(error)) this.drop();
  }

  private drop(): void {
    // marked at once, so that the pool hands it to nobody before it is closed
    this.end().catch(() => undefined);
    this.stream.destroy();
  }

  /** Of which the driver's types do not tell. */
  private get stream(): Duplex {
    return (this as unknown as { connection: { stream: Duplex } }).connection.stream;
  }
}

const isOfNoMoreUse = (error: pg.DatabaseError): boolean =>
  error.message === UNANSWERED || error.code === READ_ONLY || isOutdated(error);
