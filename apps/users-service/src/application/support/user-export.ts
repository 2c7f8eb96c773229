import { Clock, type Database, type Queryable } from '@fd/platform';
import type { AuditTrail } from '../../core/index.js';
import type { UserDataReader } from './user-data.repository.js';
import { USER_TABLES, type UserRow } from './user-tables.js';

/** Format version of exports; changes with their structure or meaning. */
const EXPORT_FORMAT = 'user-data/1';

/** Exports all data of a person in machine-readable form, as the DPDP Act requires. */
export class UserExport {
  constructor(
    private readonly database: Database,
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
    await this.database.transaction(
      async (transaction) => {
        for await (const lines of this.linesOf(transaction, userId)) await print(inPrintable(lines));
      },
      // one consistent snapshot
      { isolation: 'REPEATABLE READ' },
    );
    return true;
  }

  /** @returns false for an unknown user, without a record */
  private async record(userId: string, reason: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const [known] = await transaction.query<object[]>(
        `SELECT FROM onboarding.users WHERE id = $1 UNION ALL SELECT FROM onboarding.erased_users WHERE user_id = $1`,
        [userId],
      );
      if (known)
        await this.audit.record(transaction, { action: 'USER_EXPORTED', subject: userId, code: reason });
      return known !== undefined;
    });
  }

  private async *linesOf(connection: Queryable, userId: string): AsyncGenerator<string> {
    const exported_at = new Clock().now().toISOString();
    yield `${indented({ format: EXPORT_FORMAT, user_id: userId, exported_at }, 0).slice(0, -2)},\n  "data": {`;
    const exported = USER_TABLES.filter(({ leftOut }) => leftOut === undefined);
    for (const userTable of exported) {
      const { shown = (row: UserRow) => row } = userTable;
      yield `    "${userTable.table}": [`;
      let before = '';
      for await (const rows of this.reader.batchesOf(connection, userId, userTable)) {
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
