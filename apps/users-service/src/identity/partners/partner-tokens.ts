import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CompactEncrypt, type CryptoKey, importJWK, SignJWT } from 'jose';
import { TokensConfig } from '../../config/index.js';
import { keyManagementOf, type Partner, type PartnerPublicKey } from './partner.entity.js';

/** Long enough to be handed on by a browser, too short to be kept. */
const LIFE_SECONDS = 300;
const MAX_KEYS = 1_000;

/**
 * Tells a partner's backend who has logged in without its having to trust the browser in between: a JWT that we
 * sign (anybody can encrypt to a public key, only we can sign), inside a JWE that only the partner can open.
 */
@Injectable()
export class PartnerTokens {
  private readonly keys = new Map<string, CryptoKey | Uint8Array>();

  constructor(private readonly config: TokensConfig) {}

  async issue(
    { url, publicKey }: Pick<Partner, 'url' | 'publicKey'>,
    subject: { userId: string; sessionId: string; isNew: boolean },
  ): Promise<string> {
    const { keys, issuer } = this.config;
    const signed = await new SignJWT({ sid: subject.sessionId, is_new_user: subject.isNew })
      .setProtectedHeader({ alg: 'ES256', typ: 'partner+jwt', kid: keys[0]!.kid })
      .setIssuer(issuer)
      .setAudience(url)
      .setSubject(subject.userId)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime(`${LIFE_SECONDS}s`)
      .sign(keys[0]!.privateKey);
    const kid = publicKey.kid ? { kid: publicKey.kid } : {};
    return new CompactEncrypt(new TextEncoder().encode(signed))
      .setProtectedHeader({ alg: keyManagementOf(publicKey), enc: 'A256GCM', cty: 'JWT', ...kid })
      .encrypt(await this.imported(publicKey));
  }

  /** A key made ready for use, which takes a third as long as using it: once for each. */
  private async imported(publicKey: PartnerPublicKey): Promise<CryptoKey | Uint8Array> {
    const name = JSON.stringify(publicKey);
    const known = this.keys.get(name);
    if (known) return known;
    const key = await importJWK(publicKey, keyManagementOf(publicKey));
    // of all partners, and those that they had before
    if (this.keys.size >= MAX_KEYS) this.keys.clear();
    this.keys.set(name, key);
    return key;
  }
}
