import { brokenConstraint } from '@fd/platform';
import { type DataSource, type EntityManager, EntitySchema, IsNull } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { DEFAULT_CALLS_PER_MINUTE, hashApiKey, prefixOf } from './api-key.js';

/** A client's key, as stored. */
export interface ApiKey {
  readonly keyId: string;
  /** Name of the client, for logs and metrics. A client has several keys during a replacement. */
  readonly client: string;
  /** First characters of the key, by which its owner recognises it. */
  readonly prefix: string;
  /** SHA-256 of the key, in hex. The key is long and random, so a fast hash is safe. */
  readonly keyHash: string;
  /** Calls a minute of all addresses of the client together. */
  readonly callsPerMinute: number;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

export const API_KEYS = new EntitySchema<ApiKey>({
  name: 'api_keys',
  columns: {
    keyId: { name: 'key_id', type: 'uuid', primary: true },
    client: { type: 'text' },
    prefix: { type: 'text' },
    keyHash: { name: 'key_hash', type: 'text' },
    callsPerMinute: { name: 'calls_per_minute', type: 'integer' },
    createdAt: { name: 'created_at', type: 'timestamptz' },
    revokedAt: { name: 'revoked_at', type: 'timestamptz', nullable: true },
  },
});

/** Stores the hash of a key. @returns undefined if this key exists already, active or revoked */
export async function storeApiKey(
  connection: DataSource | EntityManager,
  client: string,
  key: string,
  callsPerMinute = DEFAULT_CALLS_PER_MINUTE,
): Promise<ApiKey | undefined> {
  const entity: ApiKey = {
    keyId: uuidv7(),
    client,
    prefix: prefixOf(key),
    keyHash: hashApiKey(key),
    callsPerMinute,
    createdAt: new Date(),
    revokedAt: null,
  };
  try {
    await connection.getRepository(API_KEYS).insert(entity);
    return entity;
  } catch (error) {
    if (brokenConstraint(error) === 'uq_api_keys__key_hash') return undefined;
    throw error;
  }
}

/** Returns whether a client has an active key; with KEY: whether that key is active. */
export function hasActiveKey(connection: EntityManager, client: string, key?: string): Promise<boolean> {
  const isTheKey = key === undefined ? {} : { keyHash: hashApiKey(key) };
  return connection.getRepository(API_KEYS).existsBy({ client, revokedAt: IsNull(), ...isTheKey });
}

export function listApiKeys(dataSource: DataSource): Promise<ApiKey[]> {
  return dataSource.getRepository(API_KEYS).find({ order: { createdAt: 'ASC', keyId: 'ASC' } });
}

/** Changes the limit of a key. @returns whether the key exists */
export async function limitApiKey(
  dataSource: DataSource,
  keyId: string,
  callsPerMinute: number,
): Promise<boolean> {
  const { affected } = await dataSource.getRepository(API_KEYS).update({ keyId }, { callsPerMinute });
  return affected !== 0;
}

/** Revokes a key. @returns 'unknown' if no key has this id */
export async function revokeApiKey(
  dataSource: DataSource,
  keyId: string,
): Promise<'revoked' | 'revoked before' | 'unknown'> {
  const keys = dataSource.getRepository(API_KEYS);
  const { affected } = await keys.update({ keyId, revokedAt: IsNull() }, { revokedAt: new Date() });
  if (affected) return 'revoked';
  return (await keys.existsBy({ keyId })) ? 'revoked before' : 'unknown';
}
