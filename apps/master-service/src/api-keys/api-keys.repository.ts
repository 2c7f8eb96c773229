import { brokenConstraint } from '@fd/platform';
import { type DataSource, IsNull } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { hashApiKey, prefixOf } from './api-key.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** Keeps a key's hash. Undefined when this very key is there already. */
export async function storeApiKey(
  dataSource: DataSource,
  client: string,
  key: string,
): Promise<ApiKeyEntity | undefined> {
  const entity: ApiKeyEntity = {
    keyId: uuidv7(),
    client,
    prefix: prefixOf(key),
    keyHash: hashApiKey(key),
    createdAt: new Date(),
    revokedAt: null,
  };
  try {
    await dataSource.getRepository(ApiKeyEntity).insert(entity);
    return entity;
  } catch (error) {
    if (brokenConstraint(error) === 'uq_api_keys__key_hash') return undefined;
    throw error;
  }
}

export function findByKey(dataSource: DataSource, key: string): Promise<ApiKeyEntity | null> {
  return dataSource.getRepository(ApiKeyEntity).findOneBy({ keyHash: hashApiKey(key) });
}

/** Whether a client has a key that works. */
export function hasActiveKey(dataSource: DataSource, client: string): Promise<boolean> {
  return dataSource.getRepository(ApiKeyEntity).existsBy({ client, revokedAt: IsNull() });
}

export function listApiKeys(dataSource: DataSource): Promise<ApiKeyEntity[]> {
  return dataSource.getRepository(ApiKeyEntity).find({ order: { createdAt: 'ASC', keyId: 'ASC' } });
}

/** Ends a key. Answers what happened to it. */
export async function revokeApiKey(
  dataSource: DataSource,
  keyId: string,
): Promise<'revoked' | 'revoked before' | 'unknown'> {
  const keys = dataSource.getRepository(ApiKeyEntity);
  const { affected } = await keys.update({ keyId, revokedAt: IsNull() }, { revokedAt: new Date() });
  if (affected) return 'revoked';
  return (await keys.existsBy({ keyId })) ? 'revoked before' : 'unknown';
}
