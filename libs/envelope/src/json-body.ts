import { AppError } from '@fd/errors';

/** A body that says it is JSON and is not. Holds the parser's message without the unreadable text itself. */
export class MalformedJsonError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedJsonError';
  }
}

export type JsonObject = Record<string, unknown>;

/** Bounds of a body after parsing; deeper or larger ones make validators slow or overflow the stack. */
export const MAX_DEPTH = 8;
export const MAX_KEYS = 2_000;

const DANGEROUS_KEYS = ['__proto__', 'constructor', 'prototype'];

/**
 * Whether a request says that its body is JSON in UTF-8, unencoded. Other encodings would be decoded by
 * generous parsers and slip past filters in front of us.
 */
export function isJsonMediaType(
  contentType: string | undefined,
  contentEncoding: string | undefined,
): boolean {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') return false;
  const [type, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') return false;
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return charset === undefined || ['utf-8', 'utf8', '"utf-8"'].includes(charset);
}

/**
 * Parses the bytes of a body.
 * @throws MalformedJsonError for what is no JSON or no UTF-8.
 * @throws AppError without items for an empty body, one that is no object, or one too deep or too large.
 */
export function parseJsonBody(bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) throw AppError.unusableRequest();
  const value = parse(decode(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw AppError.unusableRequest();
  sanitize(value);
  return value as JsonObject;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new MalformedJsonError('Invalid UTF-8 in JSON');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedJsonError(withoutInput((error as Error).message));
  }
}

/** V8 quotes the input in its message; a body may hold a PAN or a token. */
function withoutInput(message: string): string {
  const cleaned = message
    .replace(/,? ?\.{0,3}".*/s, ' in JSON')
    .replace(/token '.*?'( in JSON)?/s, 'token in JSON')
    .replace(/token .(?= in JSON)/s, 'token')
    .trim()
    .slice(0, 120);
  return cleaned === '' || cleaned === 'in JSON' ? 'Unexpected token in JSON' : cleaned;
}

/** Walks the tree without recursion: drops keys that reach prototypes and refuses what is too deep or too large. */
function sanitize(root: object): void {
  const pending: [node: object, depth: number][] = [[root, 1]];
  let keys = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [node, depth] = next;
    if (depth > MAX_DEPTH) throw AppError.unusableRequest();
    if (!Array.isArray(node)) for (const key of DANGEROUS_KEYS) Reflect.deleteProperty(node, key);
    for (const value of Object.values(node)) {
      if (++keys > MAX_KEYS) throw AppError.unusableRequest();
      if (typeof value === 'object' && value !== null) pending.push([value as object, depth + 1]);
    }
  }
}
