import type { Queryable } from '@fd/platform';
import { PII_COLUMNS, type PiiCipher } from '../../core/index.js';
import { USER_TABLES, type UserRow, type UserTable } from './user-tables.js';

/** Rows of each table, decrypted. */
type UserData = Readonly<Record<string, readonly UserRow[]>>;

const ENCRYPTED = '_encrypted';

/** Not exported: keyed hashes of exported values, and the state of the worker. */
const NEVER_EXPORTED = /_index$|_hash$|^lease_id$|^leased_until$|^idempotency_key$|^next_try_at$|^tries$/;

/** Rows in memory at once: a user may have millions of reported events. */
const BATCH = 1_000;

/** Replaces the id of another user who acted on this user's data, for example by taking over the PAN. */
const ANOTHER_USER = { actor: 'another user', session_id: null, request_id: null };

/** Reads all data of a person from all tables. */
export class UserDataReader {
  constructor(private readonly cipher: PiiCipher) {}

  /** @param connection a transaction with a consistent snapshot, or with the user locked */
  async read(
    connection: Queryable,
    userId: string,
    only: (userTable: UserTable) => boolean,
  ): Promise<UserData> {
    const data: Record<string, UserRow[]> = {};
    for (const userTable of USER_TABLES.filter(only)) {
      const all: UserRow[] = (data[userTable.table] = []);
      for await (const rows of this.batchesOf(connection, userId, userTable)) all.push(...rows);
    }
    return data;
  }

  /** Reads the rows of one table. @param connection as in `read`, for one table at a time */
  async *batchesOf(
    connection: Queryable,
    userId: string,
    { table, where, hidden = [] }: UserTable,
  ): AsyncGenerator<UserRow[]> {
    await connection.query(
      `DECLARE user_rows NO SCROLL CURSOR FOR SELECT to_jsonb(t) AS row FROM onboarding.${table} t WHERE ${where}`,
      [userId],
    );
    for (let count = BATCH; count === BATCH;) {
      const rows = await connection.query<{ row: UserRow }[]>(`FETCH ${BATCH} FROM user_rows`);
      if (rows.length > 0)
        yield rows.map(({ row }) => this.exported(table, withoutOthers(row, userId), hidden));
      count = rows.length;
    }
    await connection.query('CLOSE user_rows');
  }

  private exported(table: string, row: UserRow, hidden: readonly string[]): UserRow {
    const fields = Object.entries(row)
      .filter(([column]) => !NEVER_EXPORTED.test(column) && !hidden.includes(column))
      .map(([column, value]) =>
        column.endsWith(ENCRYPTED)
          ? [
              column.slice(0, -ENCRYPTED.length),
              this.decrypted(table, column.slice(0, -ENCRYPTED.length), row),
            ]
          : [column, value],
      );
    return Object.fromEntries(fields) as UserRow;
  }

  private decrypted(table: string, column: string, row: UserRow): unknown {
    const sealed = row[`${column}${ENCRYPTED}`] as string | null;
    if (sealed === null) return null;
    const { id, isObject } = PII_COLUMNS.find((pii) => pii.table === table && pii.column === column)!;
    const plain = this.cipher.decrypt(sealed, { table, column, id: row[id] as string });
    // a text of the user may look like JSON: an email address may begin with {
    return isObject ? (JSON.parse(plain) as unknown) : plain;
  }
}

function withoutOthers(row: UserRow, userId: string): UserRow {
  const { actor } = row;
  const isOfAnother = typeof actor === 'string' && actor.startsWith('user:') && actor !== `user:${userId}`;
  return isOfAnother ? { ...row, ...ANOTHER_USER } : row;
}
