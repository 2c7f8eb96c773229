import type { DataSource, EntityMetadata } from 'typeorm';

/** A column that holds personal data, encrypted for its row. */
export interface EncryptedColumn {
  readonly entity: EntityMetadata['target'];
  readonly table: string;
  /** Name in the database, without its ending `_encrypted`. */
  readonly column: string;
  readonly property: string;
  /** Property of the primary key, whose value the encryption is bound to. */
  readonly id: string;
}

const ENDING = '_encrypted';

/** Every encrypted column of every domain, by its ending; a key rotation visits them all. */
export function encryptedColumns({ entityMetadatas }: DataSource): EncryptedColumn[] {
  return entityMetadatas
    .flatMap(({ target, tableName, columns, primaryColumns }) =>
      columns
        .filter(({ databaseName }) => databaseName.endsWith(ENDING))
        .map(({ databaseName, propertyName }) => ({
          ...{ entity: target, table: tableName, property: propertyName },
          column: databaseName.slice(0, -ENDING.length),
          id: primaryColumns[0]!.propertyName,
        })),
    )
    .sort((a, b) => (`${a.table}.${a.column}` < `${b.table}.${b.column}` ? -1 : 1));
}
