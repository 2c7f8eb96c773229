import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type ErrorCode, type ErrorDefinition, errorOf } from '@fd/errors';

/** Additional contents of a service's document. */
export interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** Tags with descriptions, in journey order. */
  readonly tags: Readonly<Record<string, string>>;
  /** Path of the recorded examples (`npm run docs:examples`). */
  readonly examplesFile?: string;
  /** Base URL of the guide, without trailing slash. */
  readonly guideUrl?: string | undefined;
  readonly security: 'bearer' | 'apikey' | 'none';
  /** Bearer tokens of other callers, with descriptions: public routes name them by `@ApiSecurity()`. */
  readonly otherBearers?: Readonly<Record<string, string>>;
  /** Errors of any route; those with status 401 or 403 only for routes with credentials. */
  readonly commonErrors: readonly ErrorDefinition[];
  /** The error for an unreadable body or path. */
  readonly unreadable?: ErrorDefinition;
  /** Errors of the header Idempotency-Key, of routes with the extension `x-idempotent`. */
  readonly idempotencyErrors?: readonly ErrorDefinition[];
}

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const METHODS_WITH_BODY: readonly string[] = ['post', 'put', 'patch'];

interface Operation {
  responses: Record<string, unknown>;
  security?: Record<string, string[]>[];
  'x-error-codes'?: ErrorCode[];
  'x-public'?: boolean;
  'x-bare-refusals'?: boolean;
  'x-idempotent'?: boolean;
  parameters?: object[];
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true.',
  schema: { type: 'string', maxLength: 255 },
};

/**
 * Adds the possible failures to each operation, by status with codes: those of the route and those of any route. So a
 * test that validates answers also catches an undeclared code.
 */
export function documentFailures(document: OpenAPIObject, api: ApiDescription): OpenAPIObject {
  for (const [template, path] of Object.entries(document.paths))
    for (const method of METHODS) {
      const operation = path[method] as Operation | undefined;
      if (operation)
        documentOperation(document, api, operation, {
          hasBody: METHODS_WITH_BODY.includes(method),
          hasParameters: template.includes('{'),
        });
    }
  return document;
}

function documentOperation(
  document: OpenAPIObject,
  api: ApiDescription,
  operation: Operation,
  { hasBody, hasParameters }: { hasBody: boolean; hasParameters: boolean },
): void {
  const { 'x-error-codes': own = [], 'x-public': isOpen, 'x-bare-refusals': isBare } = operation;
  const keyErrors = operation['x-idempotent'] ? api.idempotencyErrors : undefined;
  for (const name of ['x-public', 'x-bare-refusals', 'x-idempotent'] as const) delete operation[name];
  const isPublic = isOpen === true || api.security === 'none';
  operation.security = isPublic ? (operation.security ?? []) : [{ [api.security]: [] }];
  if (keyErrors) operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
  // an undecodable path is refused before routing
  const mayBeUnreadable = hasBody || hasParameters;
  const unreadable = mayBeUnreadable && !isBare && api.unreadable ? [api.unreadable] : [];
  const general = [...api.commonErrors, ...unreadable, ...(keyErrors ?? [])].map(({ code }) => code);
  const codes = [...new Set([...own, ...general])].filter(
    (code) => !isPublic || own.includes(code) || ![401, 403].includes(errorOf(code).httpStatus),
  );
  operation['x-error-codes'] = codes;
  const statuses = new Set(codes.map((code) => errorOf(code).httpStatus));
  // an application without codes has no envelope
  if (codes.length > 0 && mayBeUnreadable) statuses.add(400);
  for (const status of [...statuses].filter((status) => status >= 400)) {
    const possible = codes.filter((code) => errorOf(code).httpStatus === status);
    operation.responses[status] ??= {
      description: [STATUS_CODES[status], possible.join(', ')].filter(Boolean).join(': '),
      ...([409, 429, 503].includes(status) && { headers: RETRY_AFTER }),
      content: { 'application/json': { schema: failureSchema(document, hasBody && status === 400) } },
      'x-error-codes': possible,
    };
  }
}

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } };

/** The schema of a refusal, added to the document's components at its first use. */
function failureSchema({ components = {} }: OpenAPIObject, mayBeMalformed: boolean): object {
  const { UnreadableBody, ...always } = FAILURE_SCHEMAS;
  components.schemas = { ...components.schemas, ...always, ...(mayBeMalformed && { UnreadableBody }) };
  const failure = refTo('Failure');
  return mayBeMalformed ? { anyOf: [failure, refTo('UnreadableBody')] } : failure;
}

const refTo = (name: keyof typeof FAILURE_SCHEMAS) => ({ $ref: `#/components/schemas/${name}` });

const TEXT = { type: 'string' };

const object = (description: string, properties: Record<string, object>, optional: object = {}): Schema => ({
  type: 'object',
  description,
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
});

const failure = (description: string, error: object): Schema =>
  object(description, {
    success: { type: 'integer', enum: [0] },
    statusCode: { type: 'integer', description: 'The HTTP status.' },
    message: TEXT,
    payload: { type: 'object', maxProperties: 0 },
    error,
  });

/** The schemas of every refusal. `x-error-codes` of a response lists its possible codes. */
const FAILURE_SCHEMAS = {
  ErrorItem: object(
    'One error of a refusal. Branch on `errorCode`, show `f_error_message`.',
    {
      f_error_reason: { ...TEXT, description: 'The refused field, or a stable token in capitals.' },
      f_error_message: { ...TEXT, description: 'Text for the user.' },
      errorCode: { ...TEXT, pattern: '^SVC(USER|MAS|INV)\\d+$', description: 'Never changes its meaning.' },
      error: { ...TEXT, description: 'For developers.' },
    },
    { field: { ...TEXT, description: 'The refused field of the request.' } },
  ),
  Failure: failure('A refusal. All items have the same HTTP status.', {
    type: 'array',
    items: { $ref: '#/components/schemas/ErrorItem' },
  }),
  UnreadableBody: failure(
    'A refusal of a body that is not valid JSON.',
    object('Message of the JSON parser.', {
      statusCode: { type: 'integer', enum: [400] },
      message: TEXT,
      error: TEXT,
    }),
  ),
};
