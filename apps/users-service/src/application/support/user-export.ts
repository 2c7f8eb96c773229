import { Clock } from '@fd/platform';
import type { DataSource, EntityManager } from 'typeorm';
import type { AuditTrail, UserRow } from '../../core/index.js';
import type { UsersRepository } from '../../identity/index.js';
import { USER_TABLES } from '../user-data.table.js';
import { ErasedUser } from './erased-user.entity.js';
import type { UserDataReader } from './user-data.repository.js';

/** Format version of exports; changes with their structure or meaning. */
const EXPORT_FORMAT = 'user-data/1';

/** Exports all data of a person in machine-readable form, as the DPDP Act requires. */
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
    // one consistent snapshot
    await this.dataSource.transaction('REPEATABLE READ', async (tx) => {
      for await (const lines of this.linesOf(tx, userId)) await print(inPrintable(lines));
    });
    return true;
  }

  /** @returns false for an unknown user, without a record */
  private async record(userId: string, reason: string): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      const isKnown = (await this.users.isKnown(tx, userId)) || (await tx.existsBy(ErasedUser, { userId }));
      if (isKnown) await this.audit.record(tx, { action: 'USER_EXPORTED', subject: userId, code: reason });
      return isKnown;
    });
  }

  private async *linesOf(tx: EntityManager, userId: string): AsyncGenerator<string> {
    const exported_at = new Clock().now().toISOString();
    yield `${indented({ format: EXPORT_FORMAT, user_id: userId, exported_at }, 0).slice(0, -2)},\n  "data": {`;
    const exported = USER_TABLES.filter(({ leftOut }) => leftOut === undefined);
    for (const userTable of exported) {
      const { shown = (row: UserRow) => row } = userTable;
      yield `    "${userTable.table}": [`;
      let before = '';
      for await (const rows of this.reader.batchesOf(tx, userId, userTable)) {
        if (before) yield `${before},`;
        before = rows.map((row) => `      ${indented(shown(row), 6)}`).join(',\n');
      }
      if (before) yield before;
      yield userTable === exported.at(-1) ? '    ]\n  },' : '    ],';
    }
    const leftOut = USER_TABLES.flatMap(({ table, leftOut: why }) => (why ? [[table, why]] : []));
    yield `  "left_out": ${indented(Object.fromEntries(leftOut), 2)}\n}`;
  }
}

/** JSON whose later lines are indented by so many blanks. */
const indented = (value: unknown, blanks: number): string =>
  JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${' '.repeat(blanks)}`);

/** JSON leaves control characters above U+007E and reordering ones as they are, which a terminal would obey. */
const inPrintable = (json: string): string =>
  json.replaceAll(/[^\P{C}\n]/gu, (hidden) => hidden.split('').map(escaped).join(''));

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
