import { timeLimit } from '@fd/envelope';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@fd/errors';
import { codeOf, DEADLOCK, INSUFFICIENT_PRIVILEGE, LOCK_NOT_AVAILABLE } from '@fd/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { PARTITIONED_TABLES, type PartitionedTable } from './partitioned-tables.js';

/** Partitions exist two months before their first row, so that weeks of failed jobs do no harm. */
const MONTHS_AHEAD = 3;

/** Users of the table queue behind a statement that waits for its lock. So it gives up soon, and retries after a pause. */
const LOCK_TIMEOUT_MS = timeLimit(300);
const STATEMENT_TIMEOUT_MS = timeLimit(1_000);
const TRIES = 30;
const PAUSE_MS = 500;

/** Arbitrary key of the lock for creating and dropping partitions. */
const LOCK_KEY = 7_404_001;

interface Partition {
  readonly table: PartitionedTable;
  readonly name: string;
  /** Exclusive end; null for the default partition, which takes all other rows. */
  readonly endsAt: Date | null;
  readonly isOver: boolean;
}

/** Creates partitions in advance, and drops expired ones. Runs as the owner of the tables. */
export class Partitions {
  constructor(private readonly dataSource: DataSource) {}

  /** Creates missing partitions for the next three months. @returns their names, and the tables that failed */
  async makeAhead(): Promise<{ made: string[]; failures: string[] }> {
    const made: string[] = [];
    const failures = await this.forEachTable(async (table) => {
      // not created yet: a migration is pending
      const partitions = await this.list(table);
      if (partitions.length === 0) return;
      const ends = partitions.map(({ endsAt }) => endsAt?.getTime() ?? 0);
      const now = await this.now();
      const horizon = addMonths(now, MONTHS_AHEAD);
      let start = new Date(Math.max(...ends) || startOf(table.width, now).getTime());
      while (start < horizon) {
        const end = endOf(table.width, start);
        made.push(await this.make(table, start, end));
        start = end;
      }
    });
    return { made, failures };
  }

  /**
   * Creates a partition. Returns its name.
   * @param end exclusive
   * @throws pg's DatabaseError if the default partition has rows of this time
   */
  async make(table: PartitionedTable, start: Date, end: Date): Promise<string> {
    const name = `${table.name}_${start
      .toISOString()
      .slice(0, table.width === 'year' ? 4 : 7)
      .replace('-', '_')}`;
    await this.alone(async (tx) => {
      const [{ exists, isId }] = await tx.query<[{ exists: boolean; isId: boolean }]>(
        `SELECT to_regclass($1) IS NOT NULL AS exists, EXISTS (
           SELECT FROM pg_attribute WHERE attrelid = $2::regclass AND attname = $3 AND atttypid = 'uuid'::regtype) AS "isId"`,
        [nameOf(name), nameOf(table.name), table.key],
      );
      if (exists) return;
      const [from, to] = [start, end].map((at) => (isId ? firstId(at) : at.toISOString()));
      // with the keys and indexes of the default partition; ATTACH adds row triggers
      await tx.query(`CREATE TABLE ${nameOf(name)} (LIKE ${nameOf(table.name)}_default INCLUDING ALL)`);
      for (const trigger of await this.statementTriggers(tx, table.name))
        await tx.query(trigger.replace(` ON ${nameOf(table.name)} `, ` ON ${nameOf(name)} `));
      await tx.query(
        `ALTER TABLE ${nameOf(table.name)} ATTACH PARTITION ${nameOf(name)} FOR VALUES FROM ('${from}') TO ('${to}')`,
      );
    });
    return name;
  }

  /**
   * Drops expired partitions, oldest first.
   * @param before runs in the same transaction before a drop; it may throw to keep this partition and later ones of its table
   * @returns the names of dropped partitions, and the tables that failed
   */
  async dropOld(
    before: (partition: Partition, tx: EntityManager) => Promise<void> = () => Promise.resolve(),
  ): Promise<{ dropped: string[]; failures: string[] }> {
    const dropped: string[] = [];
    const failures = await this.forEachTable(async (table) => {
      for (const partition of await this.list(table)) {
        if (!partition.isOver) continue;
        await this.alone(async (tx) => {
          await before(partition, tx);
          await tx.query(`DROP TABLE IF EXISTS ${nameOf(partition.name)}`);
        });
        dropped.push(partition.name);
      }
    });
    return { dropped, failures };
  }

  /** Default partitions with rows, for which partitions were missing; these rows never expire by themselves. */
  async strays(): Promise<string[]> {
    const found: string[] = [];
    for (const table of PARTITIONED_TABLES) {
      for (const { name, endsAt } of await this.list(table)) {
        if (endsAt !== null) continue;
        const rows: unknown[] = await this.dataSource.query(`SELECT 1 FROM ${nameOf(name)} LIMIT 1`);
        if (rows.length > 0) found.push(name);
      }
    }
    return found;
  }

  /** The earliest time at which a table has no partition for new rows. */
  async end(): Promise<Date> {
    const ends = await Promise.all(
      PARTITIONED_TABLES.map(async (table) => {
        const partitions = await this.list(table);
        return Math.max(...partitions.map(({ endsAt }) => endsAt?.getTime() ?? 0));
      }),
    );
    return new Date(Math.min(...ends));
  }

  /**
   * Runs work for each table, and continues after a failure. @returns a line for each table that failed
   * @throws the error if the role may not change tables
   */
  private async forEachTable(work: (table: PartitionedTable) => Promise<void>): Promise<string[]> {
    const failures: string[] = [];
    for (const table of PARTITIONED_TABLES) {
      try {
        await work(table);
      } catch (error) {
        if (codeOf(error) === INSUFFICIENT_PRIVILEGE) throw error;
        failures.push(`${table.name}: ${isError(error) ? error.message : typeof error}`);
      }
    }
    return failures;
  }

  private async list(table: PartitionedTable): Promise<Partition[]> {
    const rows = await this.dataSource.query<Omit<Partition, 'table'>[]>(
      `SELECT name, ends_at AS "endsAt", coalesce(ends_at < now() - make_interval(days => $2), false) AS "isOver"
         FROM (SELECT c.relname AS name, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \\(''([^'']+)''\\)') AS bound
                 FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass($1)) partitions,
              LATERAL (SELECT CASE WHEN bound ~ '^[0-9a-f]{8}-'
                -- an id begins with 48 bits of milliseconds
                THEN to_timestamp(('x' || translate(left(bound, 13), '-', ''))::bit(48)::bigint / 1000.0)
                ELSE bound::timestamptz END AS ends_at) times
        ORDER BY ends_at`,
      [nameOf(table.name), table.keptDays],
    );
    return rows.map((row) => ({ ...row, table }));
  }

  private async statementTriggers(tx: EntityManager, table: string): Promise<string[]> {
    const rows = await tx.query<{ definition: string }[]>(
      `SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger
        WHERE tgrelid = $1::regclass AND NOT tgisinternal AND tgtype::int & 1 = 0`,
      [nameOf(table)],
    );
    return rows.map(({ definition }) => definition);
  }

  private async now(): Promise<Date> {
    const [{ now }] = await this.dataSource.query<[{ now: Date }]>('SELECT now() AS now');
    return now;
  }

  /** Runs a change with a lock timeout of LOCK_TIMEOUT_MS, and retries while it cannot get the locks. */
  private async alone(work: (tx: EntityManager) => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.dataSource.transaction(async (tx) => {
          await tx.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
          await tx.query(`SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
          await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
          await work(tx);
        });
        return;
      } catch (error) {
        const code = codeOf(error);
        if (tries === TRIES || (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK)) throw error;
        await sleep(PAUSE_MS * (0.5 + Math.random()));
      }
    }
  }
}

const nameOf = (table: string): string => `onboarding.${table}`;

/** The lowest id of version 7 that is made at this moment or later. */
function firstId(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

const addMonths = (at: Date, months: number): Date =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1));

const startOf = (width: PartitionedTable['width'], at: Date): Date =>
  new Date(Date.UTC(at.getUTCFullYear(), width === 'year' ? 0 : at.getUTCMonth(), 1));

const endOf = (width: PartitionedTable['width'], at: Date): Date =>
  width === 'year' ? new Date(Date.UTC(at.getUTCFullYear() + 1, 0, 1)) : addMonths(at, 1);
