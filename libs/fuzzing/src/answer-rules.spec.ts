import { DocumentedAnswers } from '@fd/testing';
import { AnswerRules } from './answer-rules.js';
import { operationsOf } from './api-operations.js';
import type { FuzzAnswer } from './exchange.js';
import { type FuzzRequest, MARKER } from './hostile-requests.js';

const failure = {
  type: 'object',
  required: ['success', 'error'],
  properties: { success: { enum: [0] }, message: { type: 'string' }, error: { type: 'array' } },
};
const success = { type: 'object', required: ['success'], properties: { success: { enum: [1] } } };
const answering = (schema: object) => ({ content: { 'application/json': { schema } } });
const document = {
  openapi: '3.1.0',
  paths: {
    '/things/{id}': {
      get: {
        security: [{ bearer: [] }],
        responses: Object.fromEntries(
          [200, 400, 401, 404, 429, 500].map((status) => [
            status,
            answering(status === 200 ? success : failure),
          ]),
        ),
      },
    },
  },
};
const rules = new AnswerRules({ documented: new DocumentedAnswers(document), secrets: ['s3cr3t-of-ours'] });

const request = (overrides: Partial<FuzzRequest> = {}): FuzzRequest => ({
  operation: operationsOf(document)[0]!,
  target: '/things/1',
  headers: {},
  body: undefined,
  mustBeRefused: false,
  isPathIntact: true,
  ...overrides,
});
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': '0198c0de-1a2b-7c3d-8e4f-00000000000a',
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'cache-control': 'no-store',
};
const answer = (status: number, body: object, headers: object = {}): FuzzAnswer => ({
  status,
  headers: { ...HEADERS, ...headers },
  text: JSON.stringify(body),
});
const refusal = (message = 'Bad Request') => ({ success: 0, message, error: [] });

describe('the rules for answers', () => {
  it.each<[string, FuzzAnswer]>([
    ['a success', answer(200, { success: 1 })],
    ['a refusal', answer(400, refusal())],
    ['a 429 that says when', answer(429, refusal(), { 'retry-after': '3' })],
  ])('accept %s', (_name, given) => {
    expect(() => rules.check(request(), given, true)).not.toThrow();
  });

  it.each<[string, FuzzAnswer, RegExp]>([
    ['a defect', answer(500, refusal()), /a defect: 500/],
    ['an answer that is not documented', answer(418, refusal()), /no such answer/],
    ['a body of another shape', answer(200, {}), /required property 'success'/],
    ['another content type', answer(200, { success: 1 }, { 'content-type': 'text/html' }), /content type/],
    ['no request id', answer(200, { success: 1 }, { 'x-request-id': undefined }), /no request id/],
    ['no HSTS header', answer(200, { success: 1 }, { 'strict-transport-security': undefined }), /TLS/],
    ['a cookie', answer(200, { success: 1 }, { 'set-cookie': ['a=b'] }), /cookie/],
    [
      'a header that names the framework',
      answer(200, { success: 1 }, { 'x-powered-by': 'x' }),
      /reveals its framework/,
    ],
    ['a 401 without a challenge', answer(401, refusal()), /no challenge/],
    ['a 429 that does not say when', answer(429, refusal()), /Retry-After/],
    ['a secret', answer(200, { success: 1, key: 's3cr3t-of-ours' }), /secret/],
    ['a secret in a header', answer(200, { success: 1 }, { etag: 's3cr3t-of-ours' }), /secret/],
    ['a stack', answer(400, refusal('no at run (a.js:1:2)')), /internals/],
    ['a statement', answer(400, refusal('SELECT 1')), /internals/],
    ['a library', answer(400, refusal('QueryFailedError')), /internals/],
    ['an echo of the request', answer(400, refusal(MARKER)), /echoes/],
    [
      'an unknown route',
      answer(404, { success: 0, error: [{ f_error_reason: 'ROUTE_UNKNOWN' }] }),
      /route is not there/,
    ],
  ])('refuse %s', (_name, given, message) => {
    expect(() => rules.check(request(), given, true)).toThrow(message);
  });

  it('refuses a success without required fields, and one to an anonymous caller', () => {
    const good = answer(200, { success: 1 });
    expect(() => rules.check(request({ mustBeRefused: true }), good, true)).toThrow(/accepted/);
    expect(() => rules.check(request(), good, false)).toThrow(/without authentication/);
    expect(() => rules.check(request(), answer(404, refusal()), false)).toThrow(/without authentication/);
  });
});
