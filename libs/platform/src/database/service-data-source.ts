import { within } from '@fd/envelope';
import type { Pool, PoolClient, QueryResult } from 'pg';
import {
  DataSource,
  type EntityManager,
  QueryFailedError,
  QueryResult as StructuredResult,
  QueryRunnerAlreadyReleasedError,
} from 'typeorm';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { sqlVerb, type StoreCalls } from '../observability/store-calls.js';
import type { BoundedClient } from './bounded-client.js';

const CLOSE_LIMIT_MS = 2_000;

/** TypeORM's data source over a query runner of our own: see `ServiceQueryRunner`. */
export class ServiceDataSource extends DataSource {
  private readonly batches = new StatementBatches(
    () => (this.driver as PostgresDriver).master as Pool | undefined,
    (this.options.extra as { calls?: StoreCalls } | undefined)?.calls,
  );

  /** Within two seconds: a vanished server sends no FIN. */
  override async destroy(): Promise<void> {
    await within(CLOSE_LIMIT_MS, super.destroy());
  }

  override createQueryRunner(): ServiceQueryRunner {
    const runner = new ServiceQueryRunner(this.driver as PostgresDriver, this.batches);
    return Object.assign(runner, { manager: this.createEntityManager(runner) });
  }
}

interface Waiting {
  readonly text: string;
  readonly values: readonly unknown[] | undefined;
  readonly end: ReturnType<StoreCalls['begin']> | undefined;
  /** Called once, with an error or the result. */
  readonly done: (error: Error | undefined, result?: QueryResult) => void;
}

/** Maximum of statements that a slow one, or one that waits for a lock, can delay. */
const MAX_BATCH = 8;

/**
 * Sends the statements outside of transactions, of all requests of one turn of the event loop, together on one connection, because
 * writing to a socket is the most expensive part of a statement (measured under load: a third less processor time for a request).
 */
class StatementBatches {
  private readonly waiting: Waiting[] = [];

  /** @param pool undefined before the first connection */
  constructor(
    private readonly pool: () => Pool | undefined,
    private readonly calls: StoreCalls | undefined,
  ) {}

  run(text: string, values?: readonly unknown[]): Promise<QueryResult> {
    // here, because the connection serves several requests: the span belongs to this one
    const end = this.calls?.begin('postgres', sqlVerb(text), text);
    return new Promise((resolve, reject) => {
      const done: Waiting['done'] = (error, result) => (error ? reject(error) : resolve(result!));
      const length = this.waiting.push({ text, values, end, done });
      if (length === 1) setImmediate(() => void this.runWaiting());
    });
  }

  private async runWaiting(): Promise<void> {
    const statements = this.waiting.splice(0, MAX_BATCH);
    if (this.waiting.length > 0) setImmediate(() => void this.runWaiting());
    try {
      const client = await this.connection();
      let open = statements.length;
      for (const { text, values, end, done } of statements)
        client.send(text, values, end, (error, result) => {
          done(error, result);
          if (--open === 0) client.release(client.isBroken);
        });
    } catch (error) {
      for (const { end, done } of statements) {
        end?.('failed');
        done(error as Error);
      }
    }
  }

  private async connection(): Promise<BoundedClient & PoolClient> {
    const pool = this.pool();
    if (!pool) throw new Error('Connection is not established');
    return (await pool.connect()) as BoundedClient & PoolClient;
  }
}

/**
 * Outside of a transaction it holds no connection: statements of one turn of the event loop travel together (`StatementBatches`). In a
 * transaction BEGIN travels with the first statement, a statement after COMMIT or ROLLBACK is refused, and a COMMIT that PostgreSQL answers
 * with ROLLBACK fails: TypeORM's own runner would run the one outside of the transaction, and report the other as committed.
 */
class ServiceQueryRunner extends PostgresQueryRunner {
  private beginning: string | undefined;
  end: 'committing' | 'committed' | 'rolled back' | undefined;
  /** What waits for the commit. */
  readonly acts: (() => void)[] = [];
  /** Work of the transaction that takes its locks last. */
  readonly lastWork: (() => Promise<void>)[] = [];
  /** How many of both waited at each open savepoint. */
  private readonly atSavepoints: { readonly acts: number; readonly lastWork: number }[] = [];

  constructor(
    driver: PostgresDriver,
    private readonly batches: StatementBatches,
  ) {
    // there is no replication
    super(driver, 'master');
  }

  /**
   * @returns the rows, with their number for UPDATE and DELETE; or TypeORM's structured result
   * @throws QueryFailedError; QueryRunnerAlreadyReleasedError once the transaction has ended
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- TypeORM's signature
  override async query(text: string, values?: unknown[], isStructured = false): Promise<any> {
    const { rows, rowCount, command } = await this.send(text, values);
    const raw = command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows;
    if (!isStructured) return raw;
    return Object.assign(new StructuredResult(), { raw, records: rows, affected: rowCount });
  }

  private async send(text: string, values?: unknown[]): Promise<QueryResult> {
    if (this.end || this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    try {
      if (!this.isTransactionActive) return await this.batches.run(text, values);
      const { beginning } = this;
      this.beginning = undefined;
      const client = await this.client();
      if (this.end) throw new QueryRunnerAlreadyReleasedError();
      // the statement behind it fails for the same reason and reports it
      if (beginning !== undefined) client.run(beginning).catch(() => undefined);
      return await client.run(text, values);
    } catch (error) {
      throw error instanceof QueryRunnerAlreadyReleasedError
        ? error
        : new QueryFailedError(text, values, error as Error);
    }
  }

  private client(): Promise<BoundedClient> {
    return this.connect() as Promise<BoundedClient>;
  }

  /** Also gives back a connection that a statement still waits for; the pool drops one whose transaction is open. */
  override async release(): Promise<void> {
    const client = (await this.databaseConnectionPromise?.catch(() => undefined)) as
      BoundedClient | undefined;
    if (this.isTransactionActive) client?.discard();
    await super.release();
  }

  override async startTransaction(isolation?: IsolationLevel): Promise<void> {
    if (this.isTransactionActive) {
      this.atSavepoints.push({ acts: this.acts.length, lastWork: this.lastWork.length });
      return super.startTransaction(isolation);
    }
    this.end = undefined;
    this.isTransactionActive = true;
    this.transactionDepth = 1;
    this.beginning = isolation ? `BEGIN ISOLATION LEVEL ${isolation}` : 'BEGIN';
  }

  /**
   * The work may call it itself when no decision is left: then COMMIT travels with the last statements.
   * @throws Error if PostgreSQL has rolled back because of an ignored failure of a statement
   */
  override async commitTransaction(): Promise<void> {
    if (this.transactionDepth > 1) {
      this.atSavepoints.pop();
      return super.commitTransaction();
    }
    if (this.end) return;
    for (let work = this.lastWork.shift(); work; work = this.lastWork.shift()) await work();
    try {
      const answer = await this.finish('COMMIT', 'committing');
      if (answer && answer.command !== 'COMMIT')
        throw new Error('the transaction was rolled back: one of its statements failed');
      this.end = 'committed';
    } catch (error) {
      this.end = 'rolled back';
      throw error;
    }
    for (const act of this.acts.splice(0)) act();
  }

  /** Never throws: drops a connection that cannot roll back, and PostgreSQL rolls back itself. */
  override async rollbackTransaction(): Promise<void> {
    if (this.transactionDepth > 1) {
      const { acts, lastWork } = this.atSavepoints.pop()!;
      this.acts.length = acts;
      this.lastWork.length = lastWork;
      return super.rollbackTransaction();
    }
    if (this.end) return;
    await this.finish('ROLLBACK', 'rolled back').catch(() =>
      this.client().then(
        (client) => client.discard(),
        () => undefined,
      ),
    );
  }

  /** @returns undefined if no statement was sent */
  private async finish(
    command: 'COMMIT' | 'ROLLBACK',
    end: 'committing' | 'rolled back',
  ): Promise<QueryResult | undefined> {
    const client = this.beginning === undefined ? await this.client() : undefined;
    this.end = end;
    this.isTransactionActive = false;
    this.transactionDepth = 0;
    return client?.run(command);
  }
}

/**
 * Runs ACT, which must not throw, once the transaction of TX is committed, and at once outside of a transaction; never if it is rolled
 * back, also to a savepoint before this call, or if it is unknown whether it is committed.
 */
export function whenCommitted({ queryRunner }: EntityManager, act: () => void): void {
  if (!(queryRunner instanceof ServiceQueryRunner)) act();
  else if (queryRunner.isTransactionActive || queryRunner.end === 'committing') queryRunner.acts.push(act);
  else if (queryRunner.end !== 'rolled back') act();
}

/**
 * Runs WORK as the last one of the transaction of TX, and at once outside of a transaction; never if TX is rolled back, also to a savepoint
 * before this call. For locks that come last, whatever the transaction does after this call. COMMIT must not travel with this call.
 */
export async function beforeCommit({ queryRunner }: EntityManager, work: () => Promise<void>): Promise<void> {
  if (queryRunner instanceof ServiceQueryRunner && queryRunner.isTransactionActive)
    queryRunner.lastWork.push(work);
  else await work();
}

/**
 * Commits the transaction of TX, for work that ends without a decision: as the last one of `pipelined`, COMMIT travels with its
 * statements.
 */
export async function commit({ queryRunner }: EntityManager): Promise<void> {
  await queryRunner!.commitTransaction();
}

/** The error of all further statements of a failed transaction. */
const BEHIND_A_FAILURE = ['25P02', '26000'];

/**
 * Awaits pipelined statements of one transaction: PostgreSQL answers them in one round trip, in order.
 * @throws the error that failed the transaction, after all statements have ended, so that none is sent after the rollback
 */
export async function pipelined<T extends readonly unknown[]>(
  work: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const ended = await Promise.allSettled(work);
  const failures = ended.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  if (failures.length > 0) throw failures.find((failure) => !isBehindFailure(failure)) ?? failures[0];
  return Promise.all(work);
}

/** Whether a statement failed only because an earlier one of its transaction had failed. */
function isBehindFailure(error: unknown): boolean {
  return BEHIND_A_FAILURE.includes((error as { code?: string }).code ?? '');
}
