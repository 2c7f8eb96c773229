import { createHmac } from 'node:crypto';
import { ConfigError } from '@fd/platform';
import { type EntityManager, Not, Raw } from 'typeorm';
import type { NamedKey } from '@fd/platform';
import { KeyInUse } from './key-in-use.entity.js';
import { NOTE_KEY } from './keys.queries.js';

interface DataKeys {
  /** The first encrypts. */
  readonly pii: readonly NamedKey[];
  /** Undefined for a caller that only encrypts. */
  readonly indexSecret?: Buffer;
}

/** The keyed hashes have one permanent secret, under one name. */
const INDEX_KEY_ID = 'index';

/** Longer than the interval at which replicas report their key. */
const IN_USE_SINCE = "now() - interval '3 minutes'";

/**
 * Compares the configured keys with the keys of the stored values, and records the key that the caller encrypts with.
 * Reads a handful of rows, independent of the number of values, unless a key is missing or different.
 * @param mayLackKeys for a caller that checks next whether values of missing keys are left
 * @throws ConfigError with the ids of missing or different keys, never with a key
 */
export async function registerKeys(
  manager: EntityManager,
  keys: DataKeys,
  { mayLackKeys = false } = {},
): Promise<void> {
  const inUse = await manager.find(KeyInUse, { order: { purpose: 'ASC', keyId: 'ASC' } });
  const hasKey = ({ purpose, keyId }: KeyInUse): boolean =>
    purpose === 'INDEX' || keys.pii.some(({ id }) => id === keyId);
  const problems: string[] = [];
  for (const used of inUse.filter((row) => !mayLackKeys || hasKey(row))) {
    const problem = problemOf(used, keys);
    if (problem && !(await forgetIfUnused(manager, used))) problems.push(problem);
  }
  // refused keys are not recorded, or other replicas would be compared with them
  if (problems.length > 0) throw new ConfigError(problems);
  const isInUse = (id: string): boolean =>
    inUse.some(({ purpose, keyId }) => purpose === 'PII' && keyId === id);
  for (const [place, { id, bytes }] of keys.pii.entries()) {
    const isEncrypting = place === 0;
    if (isEncrypting || isInUse(id)) await note(manager, 'PII', id, bytes, isEncrypting);
  }
  if (keys.indexSecret) await note(manager, 'INDEX', INDEX_KEY_ID, keys.indexSecret, true);
}

/**
 * Forgets a key that no replica reports and no value needs, such as a row that was written by mistake: it would end every later start.
 * PostgreSQL searches the values. @returns false as well if it refuses or the search takes too long
 */
async function forgetIfUnused(manager: EntityManager, { purpose, keyId }: KeyInUse): Promise<boolean> {
  const seenAt = Raw((seen) => `${seen} < ${IN_USE_SINCE}`);
  const forgotten = manager.delete(KeyInUse, { purpose, keyId, seenAt });
  return forgotten.then(
    ({ affected }) => affected === 1,
    () => false,
  );
}

/** @param isEncrypting whether new values use the key; then the time is recorded too */
async function note(
  manager: EntityManager,
  purpose: KeyInUse['purpose'],
  keyId: string,
  bytes: Buffer,
  isEncrypting: boolean,
): Promise<void> {
  await NOTE_KEY.run(manager, { purpose, keyId, checkValue: checkValueOf(bytes), isEncrypting });
}

/** Ids of other keys that a replica used in the last minutes and may still use. */
export async function otherKeysAtWork(manager: EntityManager, activeKeyId: string): Promise<string[]> {
  const seenAt = Raw((seen) => `${seen} > ${IN_USE_SINCE}`);
  const where = { purpose: 'PII', keyId: Not(activeKeyId), seenAt } as const;
  const others = await manager.find(KeyInUse, { where, order: { keyId: 'ASC' } });
  return others.map(({ keyId }) => keyId);
}

/** Records that no values are left under other keys. */
export async function forgetOtherKeys(manager: EntityManager, activeKeyId: string): Promise<void> {
  await manager.delete(KeyInUse, { purpose: 'PII', keyId: Not(activeKeyId) });
}

function problemOf({ purpose, keyId: id, checkValue }: KeyInUse, keys: DataKeys): string | undefined {
  const isIndex = purpose === 'INDEX';
  const bytes = isIndex ? keys.indexSecret : keys.pii.find((key) => key.id === id)?.bytes;
  if (!bytes && isIndex) return undefined;
  if (!bytes)
    return `PII_KEYS: the key ${id} is missing: it encrypts data in the database; remove it only after pii:rotate has succeeded`;
  if (!checkValue || checkValue.equals(checkValueOf(bytes))) return undefined;
  return isIndex
    ? 'INDEX_SECRET: differs from the secret by which the data in the database is found'
    : `PII_KEYS: the key ${id} differs from the key of this id that encrypted the data in the database`;
}

/** 16 bytes that identify a key without revealing it. */
function checkValueOf(bytes: Buffer): Buffer {
  return createHmac('sha256', bytes).update('check value').digest().subarray(0, 16);
}
