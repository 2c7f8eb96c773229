import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type QueryResult, type QueryRunner } from 'typeorm';
import { commit, whenCommitted } from './service-data-source.js';

/** Runs statements, in a transaction or alone. */
export interface Queryable {
  /**
   * @param text with `$1` for the first value; each connection plans a text once
   * @returns the rows, or none
   * @throws QueryFailedError, or the error of a connection: see `isDatabaseUnavailable`
   */
  query<Rows extends readonly unknown[]>(text: string, values?: readonly unknown[]): Promise<Rows>;
  /** @returns the number of affected rows */
  execute(text: string, values?: readonly unknown[]): Promise<number>;
  /** @see whenCommitted */
  whenCommitted(act: () => void): void;
  readonly manager: EntityManager;
}

/** For the domains whose statements are still text: see docs/adr/0037-tables-have-owners.md. */
@Injectable()
export class Database implements Queryable {
  constructor(private readonly dataSource: DataSource) {}

  get manager(): EntityManager {
    return this.dataSource.manager;
  }

  async query<Rows extends readonly unknown[]>(text: string, values?: readonly unknown[]): Promise<Rows> {
    return (await this.run(text, values)).records as unknown as Rows;
  }

  async execute(text: string, values?: readonly unknown[]): Promise<number> {
    return (await this.run(text, values)).affected ?? 0;
  }

  whenCommitted(act: () => void): void {
    whenCommitted(this.dataSource.manager, act);
  }

  /**
   * Runs work in a transaction, and rolls back if the work fails.
   * @throws the error of the work, or of the commit; after a failed commit the outcome is unknown
   */
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    { isolation }: { isolation?: 'REPEATABLE READ' } = {},
  ): Promise<T> {
    const run = (manager: EntityManager): Promise<T> => work(new Transaction(manager));
    return isolation ? this.dataSource.transaction(isolation, run) : this.dataSource.transaction(run);
  }

  private async run(text: string, values?: readonly unknown[]): Promise<QueryResult> {
    const runner = this.dataSource.createQueryRunner();
    try {
      return await runner.query(text, values as unknown[], true);
    } finally {
      await runner.release();
    }
  }
}

/** Statements of one transaction. Independent ones are sent together: see `pipelined`. */
export class Transaction implements Queryable {
  constructor(readonly manager: EntityManager) {}

  async query<Rows extends readonly unknown[]>(text: string, values?: readonly unknown[]): Promise<Rows> {
    return (await this.runner.query(text, values as unknown[], true)).records as unknown as Rows;
  }

  async execute(text: string, values?: readonly unknown[]): Promise<number> {
    return (await this.runner.query(text, values as unknown[], true)).affected ?? 0;
  }

  whenCommitted(act: () => void): void {
    whenCommitted(this.manager, act);
  }

  /** Rolls back WORK alone, to a savepoint, if it fails. */
  nested<T>(work: () => Promise<T>): Promise<T> {
    return this.manager.transaction(work);
  }

  /** @see commit */
  commit(): Promise<void> {
    return commit(this.manager);
  }

  private get runner(): QueryRunner {
    return this.manager.queryRunner!;
  }
}
