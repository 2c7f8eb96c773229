import type { ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A text, or a long one in bytes with what stands around it. */
export type Json = string | readonly [opening: string, bytes: Buffer, closing: string];

/**
 * Sends what has been written as JSON already: the way by which every answer leaves, before Express has seen a request
 * as well as behind it. Nothing is looked up, hashed or converted, and headers and text leave in one piece.
 */
export function sendJson(response: ServerResponse, status: number, json: Json): void {
  response.statusCode = status;
  response.setHeader('content-type', JSON_TYPE);
  if (typeof json === 'string') {
    response.end(json);
    return;
  }
  const [opening, bytes, closing] = json;
  response.setHeader(
    'content-length',
    Buffer.byteLength(opening) + bytes.length + Buffer.byteLength(closing),
  );
  response.write(opening);
  response.write(bytes);
  response.end(closing);
}
