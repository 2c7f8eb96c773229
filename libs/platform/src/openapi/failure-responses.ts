import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type ErrorCode, errorOf } from '@fd/errors';
import type { ApiDescription } from './api-description.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const METHODS_WITH_BODY: readonly string[] = ['post', 'put', 'patch'];

interface Operation {
  responses: Record<string, unknown>;
  security?: Record<string, string[]>[];
  'x-error-codes'?: ErrorCode[];
  'x-public'?: boolean;
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
      const isPublic = operation['x-public'] === true || api.security === 'none';
      delete operation['x-public'];
      operation.security = isPublic ? [] : [{ [api.security]: [] }];
      const isKeyed = method === 'post' && api.idempotencyErrors !== undefined;
      if (isKeyed) operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
      const general = [...api.commonErrors, ...(isKeyed ? api.idempotencyErrors : [])].map(
        ({ code }) => code,
      );
      const codes = [...new Set([...(operation['x-error-codes'] ?? []), ...general])].filter(
        (code) => !isPublic || operation['x-error-codes']?.includes(code) || errorOf(code).httpStatus !== 401,
      );
      operation['x-error-codes'] = codes;
      addResponses(operation, codes, {
        hasBody: METHODS_WITH_BODY.includes(method),
        // a path that cannot be decoded is refused before anything is looked up
        hasParameter: template.includes('{'),
      });
    }
  }
  return document;
}

function addResponses(
  operation: Operation,
  codes: readonly ErrorCode[],
  { hasBody, hasParameter }: { hasBody: boolean; hasParameter: boolean },
): void {
  const statuses = new Set(codes.map((code) => errorOf(code).httpStatus).filter((status) => status >= 400));
  // an application without codes of its own has no envelope either
  if (codes.length > 0 && (hasBody || hasParameter)) statuses.add(400);
  for (const status of [...statuses].sort()) {
    const possible = codes.filter((code) => errorOf(code).httpStatus === status);
    operation.responses[String(status)] ??= {
      description: `${STATUS_CODES[status]}${possible.length ? `: ${possible.join(', ')}` : ''}`,
      ...([429, 503].includes(status)
        ? { headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } } }
        : {}),
      content: { 'application/json': { schema: failureSchema(status, possible, hasBody && status === 400) } },
    };
  }
}

/** The failure envelope for one status. All items of one answer have codes of that status. */
function failureSchema(status: number, codes: readonly ErrorCode[], mayBeMalformed: boolean): object {
  const itemsWithCode = {
    type: 'array',
    items: {
      type: 'object',
      required: ['f_error_reason', 'f_error_message', 'errorCode', 'error'],
      additionalProperties: false,
      properties: {
        f_error_reason: { type: 'string' },
        f_error_message: { type: 'string' },
        errorCode: { type: 'string', enum: codes },
        error: { type: 'string' },
      },
    },
  };
  // JSON Schema has no empty enum; where no code is possible the list of items is empty
  const items = codes.length > 0 ? itemsWithCode : { type: 'array', maxItems: 0 };
  const malformed = {
    type: 'object',
    required: ['statusCode', 'message', 'error'],
    additionalProperties: false,
    properties: {
      statusCode: { type: 'integer', enum: [400] },
      message: { type: 'string', description: 'Message of the JSON parser' },
      error: { type: 'string' },
    },
  };
  return {
    type: 'object',
    required: ['success', 'statusCode', 'message', 'payload', 'error'],
    additionalProperties: false,
    properties: {
      success: { type: 'integer', enum: [0] },
      statusCode: { type: 'integer', enum: [status] },
      message: { type: 'string' },
      payload: { type: 'object', maxProperties: 0 },
      error: mayBeMalformed ? { anyOf: [items, malformed] } : items,
    },
  };
}
