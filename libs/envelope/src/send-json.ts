import type { ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sends what has been written as JSON already: the way by which every answer leaves, before Express has seen a request
 * as well as behind it. Nothing is looked up, hashed or converted, and headers and text leave in one piece.
 */
export function sendJson(response: ServerResponse, status: number, json: string | Buffer): void {
  response.statusCode = status;
  response.setHeader('content-type', JSON_TYPE);
  // Node.js counts the bytes by itself, but not for HEAD: a long answer tells its length there too
  if (typeof json !== 'string') response.setHeader('content-length', json.length);
  response.end(json);
}
