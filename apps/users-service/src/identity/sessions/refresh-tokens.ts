import { createHash, createHmac, randomBytes } from 'node:crypto';

/** 256 random bits. */
export function newRefreshToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored: enough to recognise a token of 256 bits, useless for making one. */
export function hashRefreshToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/**
 * The one successor of a token. Derived instead of drawn, so that a repeat within the grace period gets the same
 * one without its being stored.
 */
export function successorOf(token: string, secret: Buffer): string {
  return createHmac('sha256', secret).update(`successor\u0000${token}`).digest('base64url');
}
