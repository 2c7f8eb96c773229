import { DefaultNamingStrategy, type Table } from 'typeorm';

/**
 * Names what entities leave unnamed as the migrations do: `snake_case` columns, `pk_table`, `uq_table__column__column` and
 * `fk_table__referenced`.
 */
export class SchemaNaming extends DefaultNamingStrategy {
  override columnName(property: string, name: string | undefined, prefixes: string[]): string {
    const column = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return super.columnName(property, name ?? column, prefixes);
  }

  override primaryKeyName(table: Table | string): string {
    return `pk_${this.getTableName(table)}`;
  }

  override uniqueConstraintName(table: Table | string, columns: string[]): string {
    return ['uq_' + this.getTableName(table), ...columns].join('__');
  }

  override foreignKeyName(table: Table | string, _columns: string[], referenced: string): string {
    return `fk_${this.getTableName(table)}__${this.getTableName(referenced)}`;
  }
}
