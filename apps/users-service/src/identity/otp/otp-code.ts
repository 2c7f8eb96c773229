import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { emailKey } from '@fd/contracts';
import type { KeyedHash } from '../../core/index.js';

/** Purpose and recipient of a code; never stored in clear. */
export interface OtpSubject {
  readonly purpose: 'login' | 'email';
  /** Phone or email address in normalised form. */
  readonly value: string;
  /** The user who requests the code, if known: codes and counts for an address are then separate for each user. */
  readonly userId?: string;
  /** Client address of a login, for its own limits; not part of the subject. */
  readonly ip?: string;
}

export const loginSubject = (phone: string, ip: string): OtpSubject => ({
  purpose: 'login',
  value: phone,
  ip,
});

/**
 * All counts of sends and tries belong to the pair of user and address: a user who requests codes for another person's
 * address can neither use up its owner's limits, nor lock the owner out, nor verify it with the owner's code. The
 * address alone has no limit: MAX_MAILS_PER_DAY limits the mails of one user to all addresses.
 */
export const emailSubject = (userId: string, email: string): OtpSubject => ({
  purpose: 'email',
  userId,
  value: emailKey(email),
});

const CODES = 1_000_000n;

/**
 * Codes are not stored: each is derived from a random nonce with a key outside of Redis, so that a resend can repeat it
 * and a dump of Redis reveals nothing.
 */
export class OtpCodes {
  /** The first secret creates codes. */
  readonly secretIds: readonly string[];
  private readonly secrets: readonly { readonly id: string; readonly key: KeyObject }[];

  /**
   * @param secrets the first creates codes, all verify them; at least one
   * @param names hashes the counted subjects; it must stay the same when the secrets of codes change
   */
  constructor(
    secrets: readonly Buffer[],
    private readonly names: KeyedHash,
  ) {
    const keys = secrets.map((bytes) => createSecretKey(bytes));
    this.secrets = keys.map((key) => ({ id: idOf(key), key }));
    this.secretIds = this.secrets.map(({ id }) => id);
  }

  /** A random nonce that begins with the id of its secret. */
  newNonce(): string {
    return `${this.secrets[0]!.id}.${randomBytes(18).toString('base64url')}`;
  }

  /** Six digits, uniformly distributed: the bias of 64 bits modulo a million is below 1 in 10^13. */
  derive(subject: OtpSubject, nonce: string): string {
    const id = nonce.split('.')[0];
    const { key } = this.secrets.find((secret) => secret.id === id) ?? this.secrets[0]!;
    const number = hash(key, 'code', subject, nonce).readBigUInt64BE() % CODES;
    return number.toString().padStart(6, '0');
  }

  /**
   * The stored form of a code: a keyed hash, so that neither the time of a comparison nor a dump of the store reveals
   * the code. One hash for each secret, in the order of the secrets.
   */
  fingerprints(subject: OtpSubject, code: string): string[] {
    return this.secrets.map(({ key }) => hash(key, 'fingerprint', subject, code).toString('hex', 0, 16));
  }

  /** Key of a subject's counts. */
  key(subject: OtpSubject): string {
    return this.names.digest('otp.subject', partsOf(subject).join('\u0000')).toString('base64url', 0, 18);
  }
}

const partsOf = ({ purpose, value, userId }: OtpSubject): string[] =>
  userId === undefined ? [purpose, value] : [purpose, userId, value];

function hash(secret: KeyObject, use: string, subject: OtpSubject, part: string): Buffer {
  return createHmac('sha256', secret)
    .update([use, ...partsOf(subject), part].join('\u0000'))
    .digest();
}

/** Eight characters that identify a secret without revealing it. */
function idOf(secret: KeyObject): string {
  return createHmac('sha256', secret).update('id').digest('base64url').slice(0, 8);
}
