import { hash } from 'node:crypto';
import type { Response } from 'express';

/** An answer that is the same until the next release: written once, and sent as it is. */
export class ServedBytes {
  /** Names the bytes: with others it is another. */
  readonly digest: string;
  private readonly headers: Readonly<Record<string, string>>;

  /**
   * @param caching `no-cache` has a client ask each time whether it has these bytes; `immutable` never, for bytes whose digest
   *   is in their path
   * @param more headers
   */
  constructor(
    private readonly bytes: Buffer,
    type: string,
    caching: 'no-cache' | 'immutable',
    more: Readonly<Record<string, string>> = {},
  ) {
    this.digest = hash('sha256', bytes, 'base64url');
    this.headers = {
      'content-type': type,
      'cache-control': caching === 'immutable' ? 'public, max-age=31536000, immutable' : caching,
      etag: `"${this.digest}"`,
      ...more,
    };
  }

  /** Express answers 304 to a client that has these bytes already. */
  send(response: Response): void {
    response.set(this.headers).send(this.bytes);
  }
}
