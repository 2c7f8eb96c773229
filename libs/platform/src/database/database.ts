import { Injectable, Optional } from '@nestjs/common';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { DataSource } from 'typeorm';
import { sqlVerb, StoreCalls } from '../observability/store-calls.js';
import type { BoundedClient } from './bounded-client.js';

/** Runs statements, in a transaction or alone. */
export interface Queryable {
  /**
   * @param text with `$1` for the first value; each connection plans a text once
   * @returns the rows, or none
   * @throws pg's DatabaseError, or the error of a connection: see `isDatabaseUnavailable`
   */
  query<Rows extends readonly unknown[]>(text: string, values?: readonly unknown[]): Promise<Rows>;
  /** @returns the number of affected rows */
  execute(text: string, values?: readonly unknown[]): Promise<number>;
  /**
   * Runs ACT, which must not throw, once the statements before it are committed; never if they are rolled back, or if it is
   * unknown whether they are.
   */
  whenCommitted(act: () => void): void;
}

/** A statement of this turn of the event loop. */
interface Waiting {
  readonly text: string;
  readonly values: readonly unknown[] | undefined;
  readonly end: ReturnType<StoreCalls['begin']> | undefined;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum of statements that a slow one, or one that waits for a lock, can delay. */
const MAX_BATCH = 8;

/**
 * Runs every hand-written statement: with a timeout, prepared, measured and traced. See
 * docs/adr/0023-one-database.md.
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

  /** At once: a statement alone is committed when it is answered. */
  whenCommitted(act: () => void): void {
    act();
  }

  /**
   * Runs work in a transaction, and rolls back if the work fails.
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
   * Sends the statements of all requests of one turn of the event loop together on one connection, because writing to a
   * socket is the most expensive part of a statement (measured under load: a third less processor time for a request).
   */
  private alone(text: string, values?: readonly unknown[]): Promise<QueryResult> {
    // here, because the connection serves several requests: the span belongs to this one
    const end = this.calls?.begin('postgres', sqlVerb(text), text);
    return new Promise((resolve, reject) => {
      const length = this.waiting.push({ text, values, end, resolve, reject });
      if (length === 1) setImmediate(() => void this.runWaiting());
    });
  }

  private async runWaiting(): Promise<void> {
    const statements = this.waiting.splice(0, MAX_BATCH);
    if (this.waiting.length > 0) setImmediate(() => void this.runWaiting());
    let client: BoundedClient & PoolClient;
    try {
      client = await this.connection();
    } catch (error) {
      for (const { reject } of statements) reject(error);
      return;
    }
    let open = statements.length;
    for (const { text, values, end, resolve, reject } of statements)
      client.send(text, values, end, (error, result) => {
        if (error) reject(error);
        else resolve(result);
        if (--open === 0) client.release(client.isBroken);
      });
  }

  /** From TypeORM's pool, so that migrations, entities and statements share its limits. */
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
  private readonly acts: (() => void)[] = [];

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

  whenCommitted(act: () => void): void {
    this.acts.push(act);
  }

  /** @returns a function that rolls back what comes after this call, and forgets what waits for its commit */
  async savepoint(): Promise<() => Promise<void>> {
    const { length } = this.acts;
    await this.run('SAVEPOINT here');
    return async () => {
      await this.run('ROLLBACK TO SAVEPOINT here');
      this.acts.length = length;
    };
  }

  /**
   * Commits, unless the transaction has ended. The work may commit itself when no decision is left: then COMMIT is sent with the
   * last statement, and must be the last one of `pipelined`.
   * @throws Error if PostgreSQL has rolled back because of an ignored failure of a statement
   */
  async commit(): Promise<void> {
    if (!this.begun || this.hasEnded) return;
    this.hasEnded = true;
    const [{ command }] = await Promise.all([this.client.run('COMMIT'), this.begun]);
    if (command !== 'COMMIT')
      throw new Error('the transaction was rolled back: one of its statements failed');
    for (const act of this.acts) act();
  }

  /** Never throws: drops a connection that cannot roll back, and PostgreSQL rolls back itself. */
  async rollBack(): Promise<void> {
    if (!this.begun || this.hasEnded || this.client.isBroken) return;
    await this.client.run('ROLLBACK').catch(() => this.client.discard());
  }

  /** BEGIN is sent with the first statement, which saves a round trip. */
  private run(text: string, values?: readonly unknown[]): Promise<QueryResult> {
    if (!this.begun) {
      this.begun = this.client.run(this.beginning);
      // the next statement fails for the same reason and reports it
      this.begun.catch(() => undefined);
    }
    return this.client.run(text, values);
  }
}
