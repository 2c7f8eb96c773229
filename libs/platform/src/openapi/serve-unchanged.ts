import { hash } from 'node:crypto';
import type { Express } from 'express';

/**
 * Serves what stays the same until the next release, made at its first request. Clients revalidate it by its digest: Express answers
 * 304 to those that have it.
 */
export function serveUnchanged(
  express: Express,
  path: string,
  type: string,
  make: () => string | Buffer,
): void {
  let served: { readonly bytes: Buffer; readonly etag: string } | undefined;
  express.get(path, (_request, response) => {
    if (!served) {
      const bytes = Buffer.from(make());
      served = { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
    }
    response.type(type).set({ 'cache-control': 'no-cache', etag: served.etag }).send(served.bytes);
  });
}
