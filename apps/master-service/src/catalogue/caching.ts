import { createHash } from 'node:crypto';
import type { Response } from 'express';

/** Seconds for which a client may use an answer without asking again: a changed rate is seen soon enough. */
const MAX_AGE_SECONDS = 60;

/**
 * Lets a client keep this payload and ask with If-None-Match whether it has changed; Express then answers 304.
 * The tag follows from the content alone, so all replicas give the same one.
 */
export function allowCaching(response: Response, payload: object): void {
  const tag = createHash('sha256').update(JSON.stringify(payload)).digest('base64url').slice(0, 27);
  response.setHeader('etag', `"${tag}"`);
  response.setHeader('cache-control', `private, max-age=${MAX_AGE_SECONDS}`);
}
