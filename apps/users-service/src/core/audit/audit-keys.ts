import { createHmac, timingSafeEqual } from 'node:crypto';
import type { NamedKey } from '../../config/index.js';

export type MacCheck = 'right' | 'wrong' | 'unknown-key';

/** The keys of the audit trail: the first signs, all of them check. Whoever has none cannot write what checks out. */
export class AuditKeys {
  private readonly active: NamedKey;
  private readonly keys: ReadonlyMap<string, NamedKey>;

  /** @param keys at least one */
  constructor(keys: readonly NamedKey[]) {
    this.active = keys[0]!;
    this.keys = new Map(keys.map((key) => [key.id, key]));
  }

  /** HMAC-SHA-256 of a text, as `keyId.hex`. Not base64: the log would take it for a token. */
  sign(text: string): string {
    return macOf(this.active, text);
  }

  check(text: string, signed: string): MacCheck {
    const key = this.keys.get(signed.slice(0, signed.indexOf('.')));
    if (!key) return 'unknown-key';
    // as texts, so that there is one way to write each
    const [expected, given] = [Buffer.from(macOf(key, text)), Buffer.from(signed)];
    return given.length === expected.length && timingSafeEqual(given, expected) ? 'right' : 'wrong';
  }
}

function macOf({ id, bytes }: NamedKey, text: string): string {
  return `${id}.${createHmac('sha256', bytes).update(text).digest('hex')}`;
}
