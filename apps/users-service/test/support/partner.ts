import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { compactDecrypt, createLocalJWKSet, type JSONWebKeySet, jwtVerify, type JWTPayload } from 'jose';
import type { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { Partner, type PartnerPublicKey } from '../../src/identity/partners/partner.entity.js';

/** A registered partner and its private key. */
export interface TestPartner {
  readonly url: string;
  readonly privateKey: KeyObject;
}

export const rsaKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
export const ecKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

export async function aPartner(
  dataSource: DataSource,
  { url = 'https://app.partner.example', keys = rsaKeys(), disabled = false } = {},
): Promise<TestPartner> {
  const { privateKey, publicKey } = keys;
  const jwk = {
    ...publicKey.export({ format: 'jwk' }),
    kid: 'partner-key',
  } as unknown as PartnerPublicKey;
  await dataSource.getRepository(Partner).insert({
    id: uuidv7(),
    name: 'Test partner',
    url,
    publicKey: jwk,
    redirectOrigins: [],
    disabledAt: disabled ? new Date() : null,
  });
  return { url, privateKey };
}

/** Decrypts the partner's token, checks our signature with the published keys, and returns the claims. */
export async function openPartnerToken(
  token: string,
  partner: TestPartner,
  jwks: JSONWebKeySet,
): Promise<JWTPayload> {
  const { plaintext } = await compactDecrypt(token, partner.privateKey);
  const { payload } = await jwtVerify(new TextDecoder().decode(plaintext), createLocalJWKSet(jwks), {
    audience: partner.url,
    typ: 'partner+jwt',
  });
  return payload;
}
