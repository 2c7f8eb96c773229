import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** Deletes the selected rows `t` of an entity, which may be locked, limited or joined. @returns how many */
export async function deleteSelected<Row extends ObjectLiteral>(
  tx: EntityManager,
  entity: new () => Row,
  rows: SelectQueryBuilder<Row>,
): Promise<number> {
  const key = tx.dataSource.getMetadata(entity).primaryColumns;
  const keys = rows.select(key.map(({ propertyName }) => `t.${propertyName}`));
  const { affected } = await tx
    .createQueryBuilder()
    .delete()
    .from(entity)
    .where(`(${key.map(({ databaseName }) => databaseName).join(', ')}) IN (${keys.getQuery()})`)
    .setParameters(keys.getParameters())
    .execute();
  return affected ?? 0;
}
