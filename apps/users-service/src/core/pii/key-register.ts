import { createHmac } from 'node:crypto';
import { ConfigError, type Database } from '@fd/platform';
import type { NamedKey } from '../../config/index.js';

interface DataKeys {
  /** The first encrypts. */
  readonly pii: readonly NamedKey[];
  /** Undefined for a caller that only encrypts. */
  readonly indexSecret?: Buffer;
}

interface KeyInUse {
  readonly purpose: 'PII' | 'INDEX';
  readonly key_id: string;
  readonly check_value: Buffer | null;
}

/** The keyed hashes have one permanent secret, under one name. */
const INDEX_KEY_ID = 'index';

/** Longer than the interval at which replicas report their key. */
const IN_USE_SECONDS = 180;

/**
 * Compares the configured keys with the keys of the stored values, and records the key that the caller encrypts with.
 * Reads a handful of rows, independent of the number of values, unless a key is missing or different.
 * @param mayLackKeys for a caller that checks next whether values of missing keys are left
 * @throws ConfigError with the ids of missing or different keys, never with a key
 */
export async function registerKeys(
  database: Database,
  keys: DataKeys,
  { mayLackKeys = false } = {},
): Promise<void> {
  const inUse = await database.query<KeyInUse[]>(
    'SELECT purpose, key_id, check_value FROM onboarding.keys_in_use ORDER BY purpose, key_id',
  );
  const hasKey = ({ purpose, key_id }: KeyInUse): boolean =>
    purpose === 'INDEX' || keys.pii.some(({ id }) => id === key_id);
  const problems: string[] = [];
  for (const used of inUse.filter((row) => !mayLackKeys || hasKey(row))) {
    const problem = problemOf(used, keys);
    if (problem && !(await forgetIfUnused(database, used))) problems.push(problem);
  }
  // refused keys are not recorded, or other replicas would be compared with them
  if (problems.length > 0) throw new ConfigError(problems);
  const isInUse = (id: string): boolean =>
    inUse.some(({ purpose, key_id }) => purpose === 'PII' && key_id === id);
  for (const [place, { id, bytes }] of keys.pii.entries()) {
    const isEncrypting = place === 0;
    if (isEncrypting || isInUse(id)) await note(database, 'PII', id, bytes, isEncrypting);
  }
  if (keys.indexSecret) await note(database, 'INDEX', INDEX_KEY_ID, keys.indexSecret, true);
}

/**
 * Forgets a key that no replica reports and no value needs, such as a row that was written by mistake: it would end every later start.
 * PostgreSQL searches the values. @returns false as well if it refuses or the search takes too long
 */
async function forgetIfUnused(database: Database, { purpose, key_id: id }: KeyInUse): Promise<boolean> {
  const forgotten = database.execute(
    `DELETE FROM onboarding.keys_in_use
      WHERE purpose = $1 AND key_id = $2 AND seen_at < now() - make_interval(secs => $3)`,
    [purpose, id, IN_USE_SECONDS],
  );
  return (await forgotten.catch(() => 0)) > 0;
}

/** @param isEncrypting whether new values use the key; then the time is recorded too */
async function note(
  database: Database,
  purpose: KeyInUse['purpose'],
  id: string,
  bytes: Buffer,
  isEncrypting: boolean,
): Promise<void> {
  await database.query(
    `INSERT INTO onboarding.keys_in_use AS k (purpose, key_id, check_value) VALUES ($1, $2, $3)
     ON CONFLICT (purpose, key_id) DO UPDATE
       SET seen_at = CASE WHEN $4 THEN now() ELSE k.seen_at END, check_value = coalesce(k.check_value, $3)`,
    [purpose, id, checkValueOf(bytes), isEncrypting],
  );
}

/** Ids of other keys that a replica used in the last minutes and may still use. */
export async function otherKeysAtWork(database: Database, activeKeyId: string): Promise<string[]> {
  const rows = await database.query<{ key_id: string }[]>(
    `SELECT key_id FROM onboarding.keys_in_use
      WHERE purpose = 'PII' AND key_id <> $1 AND seen_at > now() - make_interval(secs => $2) ORDER BY 1`,
    [activeKeyId, IN_USE_SECONDS],
  );
  return rows.map(({ key_id }) => key_id);
}

/** Records that no values are left under other keys. */
export async function forgetOtherKeys(database: Database, activeKeyId: string): Promise<void> {
  await database.query("DELETE FROM onboarding.keys_in_use WHERE purpose = 'PII' AND key_id <> $1", [
    activeKeyId,
  ]);
}

function problemOf({ purpose, key_id: id, check_value }: KeyInUse, keys: DataKeys): string | undefined {
  const isIndex = purpose === 'INDEX';
  const bytes = isIndex ? keys.indexSecret : keys.pii.find((key) => key.id === id)?.bytes;
  if (!bytes && isIndex) return undefined;
  if (!bytes)
    return `PII_KEYS: the key ${id} is missing: it encrypts data in the database; remove it only after pii:rotate has succeeded`;
  if (!check_value || check_value.equals(checkValueOf(bytes))) return undefined;
  return isIndex
    ? 'INDEX_SECRET: differs from the secret by which the data in the database is found'
    : `PII_KEYS: the key ${id} differs from the key of this id that encrypted the data in the database`;
}

/** 16 bytes that identify a key without revealing it. */
function checkValueOf(bytes: Buffer): Buffer {
  return createHmac('sha256', bytes).update('check value').digest().subarray(0, 16);
}
