import type { RawBodyRequest } from '@nestjs/common';
import { AppError } from '@fd/errors';
import type { Request, RequestHandler } from 'express';
import rawBody from 'raw-body';
import { requestStore } from './request-store.js';

/** A body that is declared as JSON and malformed. Contains the parser's message without the input. */
export class MalformedJsonError extends Error {}

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH'];

/** Limits of a parsed body; deeper or larger ones make validators slow or overflow the stack. */
export const MAX_DEPTH = 8;
export const MAX_KEYS = 2_000;

const SEND_JSON =
  'Send the body as JSON in UTF-8, with Content-Type: application/json and without Content-Encoding.';

const unreadable = (hint: string): AppError => AppError.unreadableRequest(hint);

const DANGEROUS_KEYS = ['__proto__', 'constructor', 'prototype'];

/**
 * Reads the body. The RefusalGuard parses it later, so that a malformed call is rate limited and needs its token like any
 * other.
 * @param limitBytes of the body; a larger one is refused without reading the rest
 */
export function readBody(limitBytes: number): RequestHandler {
  return (request, response, next) => {
    if (!METHODS_WITH_BODY.includes(request.method)) return next();
    request.body = {};
    void bytesOf(request, limitBytes).then((bytes) => {
      const store = requestStore()!;
      if (store.isTooLate) return;
      if (bytes === null) store.missedBodyLimit = limitBytes;
      else (request as RawBodyRequest<Request>).rawBody = bytes;
      // the rest of the body is not read, so the connection cannot be reused
      if (bytes === null) response.setHeader('connection', 'close');
      next();
    });
  };
}

/** The bytes of a body; null when it exceeds the limit or the client has disconnected. */
async function bytesOf(request: Request, limit: number): Promise<Buffer | null> {
  try {
    return await rawBody(request, { limit, length: request.headers['content-length'] ?? null });
  } catch {
    // further bytes are dropped, or the client could not read the answer
    request.resume();
    return null;
  }
}

/** Parses the bytes of the body. @throws MalformedJsonError, or AppError for a body that cannot be read */
export function parseBody(request: RawBodyRequest<Request>, acceptsEmptyBody: boolean): void {
  const { headers, rawBody: bytes } = request;
  const limit = requestStore()?.missedBodyLimit;
  if (limit !== undefined) throw unreadable(`Send a body of at most ${limit} bytes.`);
  if (bytes === undefined) return;
  if (bytes.length === 0 && acceptsEmptyBody) return;
  if (!isJsonMediaType(headers['content-type'], headers['content-encoding'])) throw unreadable(SEND_JSON);
  request.body = parseJsonBody(bytes);
}

/**
 * Whether a request declares its body as JSON in UTF-8 without encoding. Lenient parsers decode other encodings, which hides the
 * content from filters in front of us.
 */
export function isJsonMediaType(contentType = '', contentEncoding = 'identity'): boolean {
  if (contentEncoding.toLowerCase() !== 'identity') return false;
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') return false;
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return charset === undefined || ['utf-8', 'utf8', '"utf-8"'].includes(charset);
}

/**
 * @throws MalformedJsonError for malformed JSON or invalid UTF-8
 * @throws AppError for an empty body, a body that is not an object, or one that is too deep or too large
 */
export function parseJsonBody(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.length === 0) throw unreadable('Send a JSON object: the body is empty.');
  const value = parse(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unreadable('Send a JSON object.');
  sanitize(value);
  return value as Record<string, unknown>;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    // the decoder throws a TypeError
    const message = error instanceof SyntaxError ? withoutInput(error.message) : 'Invalid UTF-8 in JSON';
    throw new MalformedJsonError(message);
  }
}

/** V8 quotes the input in its message; a body may contain a PAN or a token. */
function withoutInput(message: string): string {
  const cleaned = message
    .replace(/,? ?\.{0,3}".*/s, ' in JSON')
    .replace(/token '.*?'( in JSON)?/s, 'token in JSON')
    .replace(/token .(?= in JSON)/s, 'token')
    .trim()
    .slice(0, 120);
  return cleaned === '' || cleaned === 'in JSON' ? 'Unexpected token in JSON' : cleaned;
}

/** Walks the tree without recursion: drops keys that reach prototypes, and refuses a tree that is too deep or too large. */
function sanitize(root: object): void {
  const pending: [node: object, depth: number][] = [[root, 1]];
  let keys = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [node, depth] = next;
    if (depth > MAX_DEPTH) throw unreadable(`Send JSON of at most ${MAX_DEPTH} levels.`);
    if (!Array.isArray(node)) for (const key of DANGEROUS_KEYS) Reflect.deleteProperty(node, key);
    for (const value of Object.values(node)) {
      if (++keys > MAX_KEYS) throw unreadable(`Send JSON of at most ${MAX_KEYS} values.`);
      if (typeof value === 'object' && value !== null) pending.push([value as object, depth + 1]);
    }
  }
}
