import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type ErrorCode, type ErrorDefinition, errorOf } from '@fd/errors';

/** What the document of a service says beside what its routes declare. */
export interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly security: 'bearer' | 'apikey' | 'none';
  /** Errors that any route may answer; those of status 401 only where credentials are asked for. */
  readonly commonErrors: readonly ErrorDefinition[];
  /** The error about a body or path that cannot be read. */
  readonly unreadable?: ErrorDefinition;
  /** Errors about the header Idempotency-Key, which every POST takes. Left out: the header has no meaning. */
  readonly idempotencyErrors?: readonly ErrorDefinition[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const METHODS_WITH_BODY: readonly string[] = ['post', 'put', 'patch'];

interface Operation {
  responses: Record<string, unknown>;
  security?: Record<string, string[]>[];
  'x-error-codes'?: ErrorCode[];
  'x-public'?: boolean;
  'x-bare-refusals'?: boolean;
  parameters?: object[];
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'The first answer to a key is repeated for 24 hours, with the header Idempotent-Replayed: true.',
  schema: { type: 'string', maxLength: 255 },
};

/**
 * Adds to each operation the failures it may answer, by status, with the codes that are possible there: what the
 * route raises and what any route may. So a test that validates answers also catches an undeclared code.
 */
export function documentFailures(document: OpenAPIObject, api: ApiDescription): OpenAPIObject {
  for (const [template, path] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = path[method] as Operation | undefined;
      if (!operation) continue;
      const { 'x-error-codes': own = [], 'x-public': isOpen, 'x-bare-refusals': isBare } = operation;
      delete operation['x-public'];
      delete operation['x-bare-refusals'];
      const isPublic = isOpen === true || api.security === 'none';
      operation.security = isPublic ? [] : [{ [api.security]: [] }];
      const keyErrors = method === 'post' ? api.idempotencyErrors : undefined;
      if (keyErrors) operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
      const hasBody = METHODS_WITH_BODY.includes(method);
      // a path that cannot be decoded is refused before anything is looked up
      const mayBeUnreadable = hasBody || template.includes('{');
      const unreadable = mayBeUnreadable && !isBare && api.unreadable ? [api.unreadable] : [];
      const general = [...api.commonErrors, ...unreadable, ...(keyErrors ?? [])].map(({ code }) => code);
      const codes = [...new Set([...own, ...general])].filter(
        (code) => !isPublic || own.includes(code) || errorOf(code).httpStatus !== 401,
      );
      operation['x-error-codes'] = codes;
      addResponses(operation, codes, hasBody, mayBeUnreadable);
    }
  }
  return document;
}

function addResponses(
  operation: Operation,
  codes: readonly ErrorCode[],
  hasBody: boolean,
  mayBeUnreadable: boolean,
): void {
  const statuses = new Set(codes.map((code) => errorOf(code).httpStatus).filter((status) => status >= 400));
  // an application without codes of its own has no envelope either
  if (codes.length > 0 && mayBeUnreadable) statuses.add(400);
  for (const status of [...statuses].sort()) {
    const possible = codes.filter((code) => errorOf(code).httpStatus === status);
    operation.responses[String(status)] ??= {
      description: `${STATUS_CODES[status]}${possible.length ? `: ${possible.join(', ')}` : ''}`,
      ...([409, 429, 503].includes(status)
        ? { headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } } }
        : {}),
      content: { 'application/json': { schema: failureSchema(status, possible, hasBody && status === 400) } },
    };
  }
}

const TEXT = { type: 'string' };

/** An object with exactly these properties: all of the first ones, and perhaps the others. */
const exactly = (properties: Record<string, object>, optional: Record<string, object> = {}): object => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties: { ...properties, ...optional },
});

/** The failure envelope for one status. All items of one answer have codes of that status. */
function failureSchema(status: number, codes: readonly ErrorCode[], mayBeMalformed: boolean): object {
  const item = exactly(
    {
      f_error_reason: TEXT,
      f_error_message: TEXT,
      errorCode: { type: 'string', enum: codes },
      error: TEXT,
    },
    { field: { type: 'string', description: 'The request field that is refused' } },
  );
  // JSON Schema has no empty enum; where no code is possible the list of items is empty
  const items = codes.length > 0 ? { type: 'array', items: item } : { type: 'array', maxItems: 0 };
  const malformed = exactly({
    statusCode: { type: 'integer', enum: [400] },
    message: { type: 'string', description: 'Message of the JSON parser' },
    error: TEXT,
  });
  return exactly({
    success: { type: 'integer', enum: [0] },
    statusCode: { type: 'integer', enum: [status] },
    message: TEXT,
    payload: { type: 'object', maxProperties: 0 },
    error: mayBeMalformed ? { anyOf: [items, malformed] } : items,
  });
}
