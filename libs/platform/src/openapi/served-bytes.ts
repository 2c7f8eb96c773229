import { hash } from 'node:crypto';
import type { Response } from 'express';

/** A static answer: rendered once, sent unchanged until the next release. */
export class ServedBytes {
  readonly digest: string;
  private readonly headers: Readonly<Record<string, string>>;

  /** @param caching `no-cache` makes clients revalidate each time; `immutable` never, for paths with a digest */
  constructor(
    private readonly bytes: Buffer,
    type: string,
    caching: 'no-cache' | 'immutable',
  ) {
    this.digest = hash('sha256', bytes, 'base64url');
    this.headers = {
      'content-type': type,
      'cache-control': caching === 'immutable' ? 'public, max-age=31536000, immutable' : caching,
      etag: `"${this.digest}"`,
    };
  }

  /** Express answers 304 to a client with the same ETag. */
  send(response: Response): void {
    response.set(this.headers).send(this.bytes);
  }
}
