import type { ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sends prepared JSON: all answers are sent here, with or without Express. Without look-up, hash or conversion, headers and
 * text leave in one write.
 */
export function sendJson(response: ServerResponse, status: number, json: string | Buffer): void {
  response.statusCode = status;
  response.setHeader('content-type', JSON_TYPE);
  // Node.js counts the bytes itself, except for HEAD
  if (typeof json !== 'string') response.setHeader('content-length', json.length);
  response.end(json);
}
