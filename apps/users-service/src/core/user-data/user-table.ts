import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

export type UserRow = Readonly<Record<string, unknown>>;

/** Treatment of the rows of a user in one table, by the owner of the table. */
export interface UserTable {
  readonly entity: new () => ObjectLiteral;
  /** Description for the page about exports. */
  readonly holds: string;
  /** Selects the rows of the user in `:userId` among the rows `t`; by `t.userId` unless given. Null: rows have no user. */
  readonly ofUser?: ((rows: SelectQueryBuilder<ObjectLiteral>) => SelectQueryBuilder<ObjectLiteral>) | null;
  /** Encrypted columns that hold several fields as JSON, without the ending `_encrypted`. */
  readonly objects?: readonly string[];
  readonly leftOut?: string;
  readonly hidden?: readonly string[];
  /**
   * Returns a row as an export shows it. Providers also answer about persons whose PAN or account number a user has
   * only typed in, so a value is null until it is proved that this person is the user.
   */
  readonly shown?: (row: UserRow) => UserRow;
  /** Why an erasure keeps it; without a reason the rows are deleted. */
  readonly kept?: string;
  /** Whether the rows belong to the KYC record of an opened deposit. */
  readonly isKyc?: true;
}

/** Hides values that may be about another person. */
export const withheld = (row: UserRow, ...columns: string[]): UserRow => ({
  ...row,
  ...Object.fromEntries(columns.map((column) => [column, null])),
});

/** Why ids and texts of the service outlive the person: nothing identifies the person of an id any more. */
export const PROOF = 'proof of the actions; contains only ids and texts of the service';
