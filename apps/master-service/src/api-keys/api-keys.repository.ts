import { type DataSource, type EntityManager, IsNull } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { DEFAULT_CALLS_PER_MINUTE, hashApiKey, prefixOf } from './api-key.js';
import { ApiKey } from './api-key.entity.js';

/**
 * Stores the hash of a key.
 * @param callsPerMinute default: the highest limit of the client's active keys, so that a replacement keeps it
 * @returns undefined if this key exists already, active or revoked
 */
export async function storeApiKey(
  connection: DataSource | EntityManager,
  client: string,
  key: string,
  callsPerMinute?: number,
): Promise<ApiKey | undefined> {
  const highest = await connection
    .getRepository(ApiKey)
    .maximum('callsPerMinute', { client, revokedAt: IsNull() });
  const entity: ApiKey = {
    keyId: uuidv7(),
    client,
    prefix: prefixOf(key),
    keyHash: hashApiKey(key),
    callsPerMinute: callsPerMinute ?? highest ?? DEFAULT_CALLS_PER_MINUTE,
    createdAt: new Date(),
    revokedAt: null,
  };
  const insert = connection.createQueryBuilder().insert().into(ApiKey).values(entity).orIgnore();
  const { raw: inserted } = (await insert.returning('key_id').execute()) as { raw: readonly unknown[] };
  return inserted.length === 0 ? undefined : entity;
}

/** Returns whether a client has an active key; with KEY: whether that key is active. */
export function hasActiveKey(connection: EntityManager, client: string, key?: string): Promise<boolean> {
  const isTheKey = key === undefined ? {} : { keyHash: hashApiKey(key) };
  return connection.getRepository(ApiKey).existsBy({ client, revokedAt: IsNull(), ...isTheKey });
}

export function listApiKeys(dataSource: DataSource): Promise<ApiKey[]> {
  return dataSource.getRepository(ApiKey).find({ order: { createdAt: 'ASC', keyId: 'ASC' } });
}

/** Changes the limit of a key. @returns whether the key exists */
export async function limitApiKey(
  dataSource: DataSource,
  keyId: string,
  callsPerMinute: number,
): Promise<boolean> {
  const { affected } = await dataSource.getRepository(ApiKey).update({ keyId }, { callsPerMinute });
  return affected !== 0;
}

/** Revokes a key. @returns 'unknown' if no key has this id */
export async function revokeApiKey(
  dataSource: DataSource,
  keyId: string,
): Promise<'revoked' | 'revoked before' | 'unknown'> {
  const keys = dataSource.getRepository(ApiKey);
  const { affected } = await keys.update({ keyId, revokedAt: IsNull() }, { revokedAt: new Date() });
  if (affected) return 'revoked';
  return (await keys.existsBy({ keyId })) ? 'revoked before' : 'unknown';
}
