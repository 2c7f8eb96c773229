import { createHmac } from 'node:crypto';

/** What a code is for and for whom; none of it is ever stored in clear. */
export interface OtpSubject {
  readonly purpose: 'login' | 'email';
  /** Phone or email address, in the form in which two of them are compared. */
  readonly value: string;
  /** Who asked, where that is known: codes and counts for one address are then each user's own. */
  readonly userId?: string;
}

const CODES = 1_000_000n;

/**
 * Codes are not stored: each is derived from a random nonce under a key that Redis does not hold, so a resend can
 * repeat it and a dump of Redis reveals none.
 */
export class OtpCodes {
  constructor(private readonly secret: Buffer) {}

  /** Six digits, evenly spread: 64 bits modulo a million favour no code measurably (by less than 1 in 10^13). */
  derive(subject: OtpSubject, nonce: string): string {
    const number = this.hash('code', subject, nonce).readBigUInt64BE() % CODES;
    return number.toString().padStart(6, '0');
  }

  /**
   * What is stored of a code and compared: a keyed hash, so that neither the comparison's time nor a dump of the
   * store says anything about the code.
   */
  fingerprint(subject: OtpSubject, code: string): string {
    return this.hash('fingerprint', subject, code).toString('hex', 0, 16);
  }

  /** The name under which a subject is counted. */
  key(subject: OtpSubject): string {
    return this.hash('key', subject, '').toString('base64url', 0, 18);
  }

  private hash(use: string, { purpose, value, userId }: OtpSubject, part: string): Buffer {
    const subject = userId === undefined ? [purpose, value] : [purpose, userId, value];
    return createHmac('sha256', this.secret)
      .update([use, ...subject, part].join('\u0000'))
      .digest();
  }
}
