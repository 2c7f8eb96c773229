import { Injectable } from '@nestjs/common';
import type { UserDataExportPayload } from '@fd/contracts';
import { remainingMs } from '@fd/envelope';
import { GeneralErrors } from '@fd/errors';
import { Clock } from '@fd/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditTrail, type UserRow } from '../../core/index.js';
import { UsersRepository } from '../../identity/index.js';
import { USER_TABLES } from '../user-data.table.js';
import { ErasedUser } from './erased-user.entity.js';
import { UserDataReader } from './user-data.repository.js';

/** Format version of exports; changes with their structure or meaning. */
const EXPORT_FORMAT = 'user-data/1';

const EXPORTED = USER_TABLES.filter(({ leftOut }) => leftOut === undefined);
const LEFT_OUT: Readonly<Record<string, string>> = Object.fromEntries(
  USER_TABLES.flatMap(({ table, leftOut: why }) => (why ? [[table, why]] : [])),
);

interface ExportedTable {
  readonly table: string;
  readonly batches: AsyncIterable<readonly UserRow[]>;
}

/** Exports all data of a person in machine-readable form, as the DPDP Act requires: for an operator, and for the person. */
@Injectable()
export class UserExport {
  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersRepository,
    private readonly reader: UserDataReader,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Writes JSON, a few rows at a time. Records the export before it reads.
   * @param print receives the lines, without a line break at the end
   * @returns false for an unknown user
   */
  async write(
    userId: string,
    reason: string,
    print: (lines: string) => Promise<void> | void,
  ): Promise<boolean> {
    if (!(await this.record(userId, reason))) return false;
    await this.inSnapshot(async (tx) => {
      for await (const lines of linesOf(headOf(userId), this.tablesOf(tx, userId)))
        await print(inPrintable(lines));
    });
    return true;
  }

  /**
   * Reads the same into memory, to be sent once no transaction is open.
   * @returns undefined if the rows take more than so many bytes; it stops reading then
   * @throws GeneralErrors.unavailable when the request's time is over
   */
  async read(userId: string, maxBytes: number): Promise<UserDataExportPayload | undefined> {
    return this.inSnapshot(async (tx) => {
      const data: Record<string, readonly UserRow[]> = {};
      let bytes = 0;
      for (const { table, batches } of this.tablesOf(tx, userId)) {
        const all: UserRow[] = [];
        for await (const rows of batches) {
          bytes += Buffer.byteLength(JSON.stringify(rows));
          if (bytes > maxBytes) return undefined;
          if (remainingMs() <= 0) throw GeneralErrors.unavailable();
          all.push(...rows);
        }
        data[table] = all;
      }
      return { ...headOf(userId), data, left_out: LEFT_OUT };
    });
  }

  /** @returns false for an unknown user, without a record */
  private async record(userId: string, reason: string): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      const isKnown = (await this.users.isKnown(tx, userId)) || (await tx.existsBy(ErasedUser, { userId }));
      if (isKnown) await this.audit.record(tx, { action: 'USER_EXPORTED', subject: userId, code: reason });
      return isKnown;
    });
  }

  private async inSnapshot<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction('REPEATABLE READ', work);
  }

  private tablesOf(tx: EntityManager, userId: string): ExportedTable[] {
    return EXPORTED.map((userTable) => ({
      table: userTable.table,
      batches: this.reader.shownBatchesOf(tx, userId, userTable),
    }));
  }
}

const headOf = (userId: string) => ({
  format: EXPORT_FORMAT,
  user_id: userId,
  exported_at: new Clock().now().toISOString(),
});

/** An export as JSON, in groups of lines. */
async function* linesOf(head: object, tables: readonly ExportedTable[]): AsyncGenerator<string> {
  yield `${indented(head, 0).slice(0, -2)},\n  "data": {`;
  for (const { table, batches } of tables) {
    yield `    "${table}": [`;
    let before = '';
    for await (const rows of batches) {
      if (before) yield `${before},`;
      before = rows.map((row) => `      ${indented(row, 6)}`).join(',\n');
    }
    if (before) yield before;
    yield table === tables.at(-1)!.table ? '    ]\n  },' : '    ],';
  }
  yield `  "left_out": ${indented(LEFT_OUT, 2)}\n}`;
}

/** JSON whose later lines are indented by so many blanks. */
const indented = (value: unknown, blanks: number): string =>
  JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${' '.repeat(blanks)}`);

/** JSON leaves control characters above U+007E and reordering ones as they are, which a terminal would obey. */
const inPrintable = (json: string): string =>
  json.replaceAll(/[^\P{C}\n]/gu, (hidden) => hidden.split('').map(escaped).join(''));

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
