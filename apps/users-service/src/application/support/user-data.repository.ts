import { Injectable } from '@nestjs/common';
import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { PiiCipher, type UserRow, type UserTable } from '../../core/index.js';
import { type NamedUserTable, USER_TABLES } from '../user-data.table.js';

/** Rows of each table, decrypted. */
type UserData = Readonly<Record<string, readonly UserRow[]>>;

const ENCRYPTED = '_encrypted';

/** Not exported: keyed hashes of exported values, and the state of the worker. */
const NEVER_EXPORTED = /_index$|_hash$|^lease_id$|^leased_until$|^idempotency_key$|^next_try_at$|^tries$/;

/** Rows in memory at once: a user may have millions of reported events. */
const BATCH = 1_000;

/** Replaces the id of another user who acted on this user's data, for example by taking over the PAN. */
const ANOTHER_USER = { actor: 'another user', session_id: null, request_id: null };

/** Selects the rows of a user in one table as `t`. */
export function rowsOfUser(
  tx: EntityManager,
  { entity, ofUser }: UserTable,
  userId: string,
): SelectQueryBuilder<ObjectLiteral> {
  const rows = tx.createQueryBuilder(entity, 't').setParameters({ userId });
  if (ofUser === null) return rows.where('false');
  return ofUser ? ofUser(rows) : rows.where('t.userId = :userId');
}

@Injectable()
export class UserDataReader {
  constructor(private readonly cipher: PiiCipher) {}

  /** @param tx a transaction with a consistent snapshot, or with the user locked */
  async read(tx: EntityManager, userId: string, only: (userTable: UserTable) => boolean): Promise<UserData> {
    const data: Record<string, UserRow[]> = {};
    for (const userTable of USER_TABLES.filter(only)) {
      const all: UserRow[] = (data[userTable.table] = []);
      for await (const rows of this.batchesOf(tx, userId, userTable)) all.push(...rows);
    }
    return data;
  }

  /** As `batchesOf`, without what may be about another person: see `UserTable.shown`. */
  async *shownBatchesOf(
    tx: EntityManager,
    userId: string,
    userTable: NamedUserTable,
  ): AsyncGenerator<UserRow[]> {
    const { shown } = userTable;
    for await (const rows of this.batchesOf(tx, userId, userTable)) yield shown ? rows.map(shown) : rows;
  }

  /** Reads the rows of one table. @param tx as in `read`, for one table at a time */
  async *batchesOf(tx: EntityManager, userId: string, userTable: NamedUserTable): AsyncGenerator<UserRow[]> {
    const [text, values] = rowsOfUser(tx, userTable, userId)
      .select('to_jsonb(t)', 'row')
      .getQueryAndParameters();
    await tx.query(`DECLARE user_rows NO SCROLL CURSOR FOR ${text}`, values);
    const [key] = tx.dataSource.getMetadata(userTable.entity).primaryColumns;
    for (let count = BATCH; count === BATCH;) {
      const rows = await tx.query<{ row: UserRow }[]>(`FETCH ${BATCH} FROM user_rows`);
      if (rows.length > 0)
        yield rows.map(({ row }) => this.exported(withoutOthers(row, userId), userTable, key!.databaseName));
      count = rows.length;
    }
    await tx.query('CLOSE user_rows');
  }

  private exported(row: UserRow, userTable: NamedUserTable, id: string): UserRow {
    const fields = Object.entries(row)
      .filter(([column]) => !NEVER_EXPORTED.test(column) && !userTable.hidden?.includes(column))
      .map(([column, value]) => {
        if (!column.endsWith(ENCRYPTED)) return [column, value];
        const name = column.slice(0, -ENCRYPTED.length);
        return [name, this.decrypted(value as string | null, name, row[id] as string, userTable)];
      });
    return Object.fromEntries(fields) as UserRow;
  }

  private decrypted(
    sealed: string | null,
    column: string,
    id: string,
    { table, objects }: NamedUserTable,
  ): unknown {
    if (sealed === null) return null;
    const plain = this.cipher.decrypt(sealed, { table, column, id });
    // a text of the user may look like JSON: an email address may begin with {
    return objects?.includes(column) ? (JSON.parse(plain) as unknown) : plain;
  }
}

function withoutOthers(row: UserRow, userId: string): UserRow {
  const { actor } = row;
  const isOfAnother = typeof actor === 'string' && actor.startsWith('user:') && actor !== `user:${userId}`;
  return isOfAnother ? { ...row, ...ANOTHER_USER } : row;
}
