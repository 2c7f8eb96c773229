import { Injectable, Optional } from '@nestjs/common';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { DataSource } from 'typeorm';
import { sqlVerb, StoreCalls } from '../observability/store-calls.js';
import type { BoundedClient } from './bounded-client.js';

/** Where a statement may be run: in a transaction, or on its own. */
export interface Queryable {
  /**
   * @param text with `$1` for the first of the values; the same text is planned once for each connection
   * @returns the rows, or none
   * @throws pg's DatabaseError, or the error of a connection: see `isDatabaseUnavailable`
   */
  query<Rows extends readonly unknown[]>(text: string, values?: readonly unknown[]): Promise<Rows>;
  /** @returns how many rows it has inserted, changed or deleted */
  execute(text: string, values?: readonly unknown[]): Promise<number>;
}

/** A statement that has been asked for in this turn of the event loop. */
interface Waiting {
  readonly run: (client: BoundedClient) => Promise<QueryResult>;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/** One that waits for a lock, or takes long, holds up no more than these. */
const MOST_TOGETHER = 8;

/**
 * The way of every written statement to PostgreSQL: bounded in time, kept by name, measured and traced. See
 * docs/adr/0023-one-face-of-the-database.md.
 */
@Injectable()
export class Database implements Queryable {
  private readonly waiting: Waiting[] = [];

  constructor(
    private readonly dataSource: DataSource,
    @Optional() private readonly calls?: StoreCalls,
  ) {}

  async query<Rows extends readonly unknown[]>(text: string, values?: readonly unknown[]): Promise<Rows> {
    return (await this.alone(text, values)).rows as unknown as Rows;
  }

  async execute(text: string, values?: readonly unknown[]): Promise<number> {
    return (await this.alone(text, values)).rowCount ?? 0;
  }

  /**
   * Runs work in a transaction, which is rolled back when the work fails.
   * @throws the error of the work, or of the commit; after a failed commit the outcome is unknown
   */
  async transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    { isolation }: { isolation?: 'REPEATABLE READ' } = {},
  ): Promise<T> {
    const client = await this.connection();
    const transaction = new Transaction(client, isolation ? `BEGIN ISOLATION LEVEL ${isolation}` : 'BEGIN');
    try {
      const result = await work(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollBack();
      throw error;
    } finally {
      client.release(client.isBroken);
    }
  }

  /**
   * Statements of all requests of one turn of the event loop travel together on one connection. To write to a socket costs
   * more than all else that is done for a statement (measured under load: a third less processor time for a request).
   */
  private alone(text: string, values?: readonly unknown[]): Promise<QueryResult> {
    // here, since the connection serves several requests at once: the span belongs to this one
    const end = this.calls?.begin('postgres', sqlVerb(text), text);
    return new Promise((resolve, reject) => {
      const run: Waiting['run'] = (client) => client.run(text, values, end);
      const length = this.waiting.push({ run, resolve, reject });
      if (length === 1) setImmediate(() => void this.runWaiting());
    });
  }

  private async runWaiting(): Promise<void> {
    const statements = this.waiting.splice(0, MOST_TOGETHER);
    if (this.waiting.length > 0) setImmediate(() => void this.runWaiting());
    let client: BoundedClient & PoolClient;
    try {
      client = await this.connection();
    } catch (error) {
      for (const { reject } of statements) reject(error);
      return;
    }
    await Promise.all(statements.map(({ run, resolve, reject }) => run(client).then(resolve, reject)));
    client.release(client.isBroken);
  }

  /** Of TypeORM's pool, so that migrations, entities and statements share its bounds. */
  private async connection(): Promise<BoundedClient & PoolClient> {
    const { master: pool } = this.dataSource.driver as unknown as { master?: Pool };
    // undefined before the first connection
    if (!pool) throw new Error('Connection is not established');
    return (await pool.connect()) as BoundedClient & PoolClient;
  }
}

/** Statements of one transaction. Independent ones are sent together: see `pipelined`. */
export class Transaction implements Queryable {
  private begun: Promise<unknown> | undefined;
  private hasEnded = false;

  constructor(
    private readonly client: BoundedClient,
    private readonly beginning: string,
  ) {}

  async query<Rows extends readonly unknown[]>(text: string, values?: readonly unknown[]): Promise<Rows> {
    return (await this.run(text, values)).rows as unknown as Rows;
  }

  async execute(text: string, values?: readonly unknown[]): Promise<number> {
    return (await this.run(text, values)).rowCount ?? 0;
  }

  /**
   * Ends it, unless it has ended. Asked for by the work where nothing is left to decide: then it travels with the last
   * statement, and must be the last one of `pipelined`.
   * @throws Error when PostgreSQL has rolled back because of a statement whose failure the work has ignored
   */
  async commit(): Promise<void> {
    if (!this.begun || this.hasEnded) return;
    this.hasEnded = true;
    const [{ command }] = await Promise.all([this.client.run('COMMIT'), this.begun]);
    if (command !== 'COMMIT')
      throw new Error('the transaction was rolled back: one of its statements failed');
  }

  /** Never fails: a connection that cannot roll back is given up, and PostgreSQL rolls back by itself. */
  async rollBack(): Promise<void> {
    if (!this.begun || this.hasEnded || this.client.isBroken) return;
    await this.client.run('ROLLBACK').catch(() => this.client.giveUp());
  }

  /** BEGIN travels with the first statement: one round trip less. */
  private async run(text: string, values?: readonly unknown[]) {
    if (!this.begun) {
      this.begun = this.client.run(this.beginning);
      // the next statement fails for the same reason and reports it
      this.begun.catch(() => undefined);
    }
    return this.client.run(text, values);
  }
}
