import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Signing } from '../subscriptions/event-subscription.entity.js';

const HMAC = 'whsec_';
const PRIVATE = 'whsk_';

/** A new secret, as it is stored. */
export function newSecret(signing: Signing): string {
  if (signing === 'hmac') return `${HMAC}${randomBytes(32).toString('base64')}`;
  const { privateKey } = generateKeyPairSync('ed25519');
  return `${PRIVATE}${privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')}`;
}

/** What the partner verifies with: the secret of the HMAC, or the public key of Ed25519. */
export function shownSecret(secret: string): string {
  if (!secret.startsWith(PRIVATE)) return secret;
  const { x } = createPublicKey(privateKeyOf(secret)).export({ format: 'jwk' });
  return `whpk_${Buffer.from(x!, 'base64url').toString('base64')}`;
}

/** Headers of a try (https://www.standardwebhooks.com). @param secrets each signs */
export function signedHeaders(
  secrets: readonly string[],
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: string },
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => signatureOf(secret, { id, at, body })).join(' '),
  };
}

function signatureOf(secret: string, { id, at, body }: { id: string; at: Date; body: string }): string {
  if (!secret.startsWith(PRIVATE)) return new Webhook(secret).sign(id, at, body);
  const signed = Buffer.from(`${id}.${Math.floor(at.getTime() / 1_000)}.${body}`);
  return `v1a,${sign(null, signed, privateKeyOf(secret)).toString('base64')}`;
}

const privateKeyOf = (secret: string) =>
  createPrivateKey({
    key: Buffer.from(secret.slice(PRIVATE.length), 'base64'),
    type: 'pkcs8',
    format: 'der',
  });
