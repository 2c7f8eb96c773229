import type { ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sends prepared JSON: every answer leaves here, whether or not Express has seen the request. Nothing is looked up, hashed or
 * converted, and headers and text leave in one write.
 */
export function sendJson(response: ServerResponse, status: number, json: string | Buffer): void {
  response.statusCode = status;
  response.setHeader('content-type', JSON_TYPE);
  // Node.js counts the bytes itself, except for HEAD
  if (typeof json !== 'string') response.setHeader('content-length', json.length);
  response.end(json);
}
