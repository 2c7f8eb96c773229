import { createHmac, timingSafeEqual } from 'node:crypto';

/** Accepted difference between the clocks of sender and receiver: an older delivery may be a recorded one. */
const TOLERANCE_SECONDS = 300;

interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  /** As received: parsed and written again, JSON may differ. */
  readonly body: Buffer;
}

/**
 * Checks a delivery as the backend of a partner must (https://www.standardwebhooks.com), before it reads the body.
 * @param secret of the HMAC, with its prefix `whsec_`
 * @returns why it is not verified; null for a verified one
 */
export function signatureProblem(
  secret: string,
  { headers, body }: SignedDelivery,
  nowSeconds: number,
): string | null {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    (name) => headers[`webhook-${name}`],
  );
  if (!id || !timestamp || !signatures)
    return 'A header is missing: webhook-id, webhook-timestamp or webhook-signature.';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_SECONDS)
    return 'The webhook-timestamp is not of the last five minutes.';
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // two while the secret is replaced
  const isSigned = signatures.split(' ').some((signature) => {
    const [version, code = ''] = signature.split(',', 2);
    const given = Buffer.from(code, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isSigned ? null : 'No signature fits the secret, the headers and the body.';
}
