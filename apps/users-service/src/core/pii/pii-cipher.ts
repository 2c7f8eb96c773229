import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { NamedKey } from '@fd/platform';

/** The location of a value in the database. A ciphertext does not decrypt anywhere else. */
export interface PiiLocation {
  readonly table: string;
  readonly column: string;
  readonly id: string;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts personal data at rest with AES-256-GCM. Each location has a derived key, so that no key is used often and no
 * value can be moved. Format: `keyId.base64url(nonce ciphertext tag)`.
 */
export class PiiCipher {
  /** Id of the key that encrypts; every value begins with the id of its key and a dot. */
  readonly activeKeyId: string;
  private readonly keys: ReadonlyMap<string, KeyObject>;

  /** @param keys the first encrypts, all of them decrypt; at least one */
  constructor(keys: readonly NamedKey[]) {
    this.activeKeyId = keys[0]!.id;
    this.keys = new Map(keys.map(({ id, bytes }) => [id, extracted(bytes)]));
  }

  encrypt(plain: string, location: PiiLocation): string {
    const nonce = randomBytes(NONCE_BYTES);
    const bound = context(location);
    const cipher = createCipheriv(ALGORITHM, expanded(this.keys.get(this.activeKeyId)!, bound), nonce);
    cipher.setAAD(bound);
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.activeKeyId}.${sealed.toString('base64url')}`;
  }

  /** @throws Error if the key is unknown, or the value was changed or moved. The message never contains the value. */
  decrypt(sealedText: string, location: PiiLocation): string {
    const dot = sealedText.indexOf('.');
    const key = this.keys.get(sealedText.slice(0, dot));
    if (!key) throw new Error(`no key for ${location.table}.${location.column}`);
    const sealed = Buffer.from(sealedText.slice(dot + 1), 'base64url');
    const bound = context(location);
    const decipher = createDecipheriv(ALGORITHM, expanded(key, bound), sealed.subarray(0, NONCE_BYTES), {
      // otherwise a truncated value would be verified with a truncated tag
      authTagLength: TAG_BYTES,
    })
      .setAAD(bound)
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    return (
      decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    );
  }
}

function context({ table, column, id }: PiiLocation): Buffer {
  return Buffer.from(`${table}|${column}|${id}`);
}

// HKDF-SHA-256 (RFC 5869) without salt, in its two steps: the first is made once for each key, not for each value

function extracted(key: Buffer): KeyObject {
  return createSecretKey(createHmac('sha256', '').update(key).digest());
}

function expanded(key: KeyObject, bound: Buffer): KeyObject {
  // as raw bytes it would cost a cipher of Node.js 24 five times as much
  return createSecretKey(createHmac('sha256', key).update(bound).update('\u0001').digest());
}

/**
 * A keyed hash for look-ups of personal data. There are too few phones and PANs for an unkeyed hash to hide them. Hashes
 * of one value for different purposes differ.
 */
export class KeyedHash {
  private readonly secret: KeyObject;

  constructor(secret: Buffer) {
    // raw bytes would be imported for each hash, at five times the cost of the hash
    this.secret = createSecretKey(secret);
  }

  /** 32 bytes. */
  digest(purpose: string, value: string): Buffer {
    return createHmac('sha256', this.secret).update(`${purpose}\u0000${value}`).digest();
  }
}
