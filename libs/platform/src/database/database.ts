import { Injectable } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';
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

/**
 * The way of every written statement to PostgreSQL: bounded in time, kept by name, measured and traced. See
 * docs/adr/0023-one-face-of-the-database.md.
 */
@Injectable()
export class Database implements Queryable {
  constructor(private readonly dataSource: DataSource) {}

  async query<Rows extends readonly unknown[]>(text: string, values?: readonly unknown[]): Promise<Rows> {
    return (await this.alone(text, values)).rows as unknown as Rows;
  }

  async execute(text: string, values?: readonly unknown[]): Promise<number> {
    return (await this.alone(text, values)).rowCount ?? 0;
  }

  /**
   * Runs work in a transaction, which is rolled back when the work fails.
   * @throws what the work has thrown, or the error of the commit: then it is not known whether it took place
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

  private async alone(text: string, values?: readonly unknown[]) {
    const client = await this.connection();
    try {
      return await client.run(text, values);
    } finally {
      client.release(client.isBroken);
    }
  }

  /** Of TypeORM's pool, so that migrations, entities and statements share its bounds. */
  private async connection(): Promise<BoundedClient & PoolClient> {
    const { master: pool } = this.dataSource.driver as unknown as { master?: Pool };
    // there is none before the first connection
    if (!pool) throw new Error('Connection is not established');
    return (await pool.connect()) as BoundedClient & PoolClient;
  }
}

/** Statements that take effect together. Those that do not wait for one another travel together: see `pipelined`. */
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
      // the statement behind it fails for the same reason, and tells it
      this.begun.catch(() => undefined);
    }
    return this.client.run(text, values);
  }
}
