import { createHmac, timingSafeEqual } from 'node:crypto';

/** A key that both services know. */
interface FactSheetKey {
  readonly id: string;
  readonly bytes: Buffer;
}

const macOf = ({ bytes }: FactSheetKey, issuerCode: string, hash: string): Buffer =>
  createHmac('sha256', bytes).update(`fact-sheet\n${issuerCode}\n${hash}`).digest();

/** `ID.MAC`: proves that a holder of the key has issued a fact sheet with this hash for a deposit with this issuer. */
export const signFactSheet = (key: FactSheetKey, issuerCode: string, hash: string): string =>
  `${key.id}.${macOf(key, issuerCode, hash).toString('base64url')}`;

export function isSignedFactSheet(
  keys: readonly FactSheetKey[],
  { issuerCode, hash, signature }: { issuerCode: string; hash: string; signature: string },
): boolean {
  const [id, mac = ''] = signature.split('.');
  const key = keys.find((one) => one.id === id);
  const given = Buffer.from(mac, 'base64url');
  return key !== undefined && given.length === 32 && timingSafeEqual(given, macOf(key, issuerCode, hash));
}
