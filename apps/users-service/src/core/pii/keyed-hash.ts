import { createHmac } from 'node:crypto';

/**
 * A keyed hash for looking personal data up without storing it. There are few enough phones and PANs that an
 * unkeyed hash would hide nothing. What is hashed for one purpose never equals the hash for another.
 */
export class KeyedHash {
  constructor(private readonly secret: Buffer) {}

  /** 32 bytes. */
  of(purpose: string, value: string): Buffer {
    return createHmac('sha256', this.secret).update(`${purpose}\u0000${value}`).digest();
  }
}
