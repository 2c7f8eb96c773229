import type { Response } from 'express';

/** Seconds for which a client may use an answer without asking again: a changed rate is seen soon enough. */
const MAX_AGE_SECONDS = 60;

/**
 * Lets a client keep the payload with this tag and ask with If-None-Match whether it has changed; Express then
 * answers 304.
 */
export function allowCaching(response: Response, tag: string): void {
  response.setHeader('etag', tag);
  response.setHeader('cache-control', `private, max-age=${MAX_AGE_SECONDS}`);
}
