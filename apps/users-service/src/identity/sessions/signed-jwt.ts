import { sign } from 'node:crypto';
import type { TokensConfig } from '../../config/index.js';

/** A JWT (ES256). Synchronous: webcrypto's thread pool costs three times as much. */
export function signedJwt(key: TokensConfig['keys'][number], typ: string, claims: object): string {
  const parts = [{ alg: 'ES256', typ, kid: key.kid }, claims];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = jwsSignatureOf(sign('sha256', Buffer.from(signed), key.privateKey));
  return `${signed}.${signature.toString('base64url')}`;
}

/** A time in a JWT's claims: whole seconds. */
export const jwtTime = (time: Date): number => Math.floor(time.getTime() / 1_000);

/**
 * Converts OpenSSL's DER signature (a SEQUENCE of two INTEGERs with minimal leading zeros) to two numbers of 32 bytes.
 * Node.js does the same with `dsaEncoding: 'ieee-p1363'` at twice the cost of the signature.
 */
function jwsSignatureOf(der: Buffer): Buffer {
  const end = 4 + der[3]!;
  const signature = Buffer.alloc(64);
  for (const [i, number] of [der.subarray(4, end), der.subarray(end + 2)].entries()) {
    const bytes = number.subarray(-32);
    bytes.copy(signature, 32 * (i + 1) - bytes.length);
  }
  return signature;
}
