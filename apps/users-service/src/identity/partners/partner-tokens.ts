import {
  constants,
  createCipheriv,
  createHash,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  publicEncrypt,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { TokensConfig } from '../../config/index.js';
import { jwtTime, signedJwt } from '../sessions/signed-jwt.js';
import { keyManagementOf, type Partner, type PartnerPublicKey } from './partner.entity.js';

/** Long enough for a browser to pass it on, too short to store it. */
const LIFE_SECONDS = 300;
const MAX_KEYS = 1_000;

/** A wrapped content key, and the header members for unwrapping it. */
interface WrappedKey {
  readonly bytes: Buffer;
  readonly header?: { readonly epk: JsonWebKey };
}

/**
 * Identifies the logged-in user to a partner's backend, which need not trust the browser in between: a JWT that we
 * sign (anyone can encrypt to a public key, only we can sign), inside a JWE that only the partner can decrypt.
 */
@Injectable()
export class PartnerTokens {
  private readonly keys = new Map<string, KeyObject>();

  constructor(
    private readonly config: TokensConfig,
    private readonly clock: Clock,
  ) {}

  issue(
    { url, publicKey }: Pick<Partner, 'url' | 'publicKey'>,
    subject: { userId: string; sessionId: string; isNew: boolean; isUnconfirmed?: boolean },
  ): string {
    const now = jwtTime(this.clock.machineNow());
    const signed = signedJwt(this.config.keys[0]!, 'partner+jwt', {
      sid: subject.sessionId,
      is_new_user: subject.isNew,
      ...(subject.isUnconfirmed && { needs_confirmation: true }),
      iss: this.config.issuer,
      aud: url,
      sub: subject.userId,
      jti: randomUUID(),
      iat: now,
      exp: now + LIFE_SECONDS,
    });
    return encrypted(signed, publicKey, this.imported(publicKey));
  }

  private imported(publicKey: PartnerPublicKey): KeyObject {
    const name = JSON.stringify(publicKey);
    const known = this.keys.get(name);
    if (known) return known;
    const key = createPublicKey({ key: publicKey as JsonWebKey, format: 'jwk' });
    // the cache holds former keys of all partners too
    if (this.keys.size >= MAX_KEYS) this.keys.clear();
    this.keys.set(name, key);
    return key;
  }
}

/** A compact JWE (RFC 7516). Synchronous: webcrypto's thread pool costs six times as much. */
function encrypted(jwt: string, publicKey: PartnerPublicKey, key: KeyObject): string {
  const contentKey = randomBytes(32);
  const wrapped = publicKey.kty === 'RSA' ? wrappedForRsa(contentKey, key) : wrappedForCurve(contentKey, key);
  const kid = publicKey.kid ? { kid: publicKey.kid } : {};
  const header = { alg: keyManagementOf(publicKey), enc: 'A256GCM', cty: 'JWT', ...kid, ...wrapped.header };
  const head = Buffer.from(JSON.stringify(header)).toString('base64url');
  const nonce = randomBytes(12);
  // keys as key objects: raw bytes cost a cipher of Node.js 24 five times as much
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(contentKey), nonce).setAAD(Buffer.from(head));
  const ciphertext = Buffer.concat([cipher.update(jwt, 'utf8'), cipher.final()]);
  const parts = [wrapped.bytes, nonce, ciphertext, cipher.getAuthTag()];
  return [head, ...parts.map((part) => part.toString('base64url'))].join('.');
}

/** RSA-OAEP-256 */
function wrappedForRsa(contentKey: Buffer, key: KeyObject): WrappedKey {
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  return { bytes: publicEncrypt({ key, padding, oaepHash: 'sha256' }, contentKey) };
}

const CURVE_ALGORITHM = 'ECDH-ES+A256KW';
const uint32 = (number: number): Buffer => Buffer.from([0, 0, number >> 8, number & 0xff]);
/** OtherInfo of the key derivation (RFC 7518, 4.6.2): algorithm, empty PartyUInfo and PartyVInfo, length in bits. */
const OTHER_INFO = Buffer.concat([
  uint32(CURVE_ALGORITHM.length),
  Buffer.from(CURVE_ALGORITHM),
  ...[0, 0, 256].map(uint32),
]);
/** Initial value of RFC 3394. */
const WRAP_IV = Buffer.alloc(8, 0xa6);

/** ECDH-ES+A256KW with an ephemeral key pair for this token. */
function wrappedForCurve(contentKey: Buffer, key: KeyObject): WrappedKey {
  const { namedCurve } = key.asymmetricKeyDetails!;
  const ephemeral = generateKeyPairSync('ec', { namedCurve: namedCurve! });
  const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: key });
  const agreed = createHash('sha256').update(uint32(1)).update(secret).update(OTHER_INFO).digest();
  const cipher = createCipheriv('id-aes256-wrap', createSecretKey(agreed), WRAP_IV);
  return {
    bytes: Buffer.concat([cipher.update(contentKey), cipher.final()]),
    header: { epk: ephemeral.publicKey.export({ format: 'jwk' }) },
  };
}
