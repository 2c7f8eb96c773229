import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import { TokensConfig } from '../../config/index.js';
import { ACCESS_TOKEN_SECONDS } from './session.policy.js';
import type { SessionIdentity } from '../../core/index.js';

/** Type and audience that tell an access token from any other JWT that we sign. */
export const ACCESS_TOKEN_TYPE = 'at+jwt';
export const ACCESS_TOKEN_AUDIENCE = 'fd-onboarding';

@Injectable()
export class AccessTokens {
  constructor(private readonly config: TokensConfig) {}

  /** A JWT (ES256) without personal data in it, valid for 15 minutes. */
  async issue({ userId, sessionId }: SessionIdentity): Promise<string> {
    const { keys, issuer } = this.config;
    return new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: 'ES256', typ: ACCESS_TOKEN_TYPE, kid: keys[0]!.kid })
      .setIssuer(issuer)
      .setAudience(ACCESS_TOKEN_AUDIENCE)
      .setSubject(userId)
      .setJti(randomUUID())
      .setIssuedAt()
      .setNotBefore('0s')
      .setExpirationTime(`${ACCESS_TOKEN_SECONDS}s`)
      .sign(keys[0]!.privateKey);
  }
}

/** Makes a refresh token of 256 random bits. */
export function newRefreshToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored: enough to recognise a token of 256 bits, useless for making one. */
export function hashRefreshToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/**
 * The one successor of a refresh token. Derived instead of drawn, so that a repeat within the grace period gets the same
 * one although it is not stored.
 */
export function successorOf(token: string, secret: Buffer): string {
  return createHmac('sha256', secret).update(`successor\u0000${token}`).digest('base64url');
}
