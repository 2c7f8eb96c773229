import type { ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sends what has been written as JSON already: the way by which every answer leaves, before Express has seen a request
 * as well as behind it. Nothing is looked up, hashed or converted, and headers and text leave in one piece.
 */
export function sendJson(response: ServerResponse, status: number, json: string): void {
  response.statusCode = status;
  response.setHeader('content-type', JSON_TYPE);
  response.end(json);
}
