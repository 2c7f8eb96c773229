import { DocumentedAnswers, type SeenAnswer } from './documented-answers.js';

const answer = (schema: object) => ({ content: { 'application/json': { schema } } });
const documented = new DocumentedAnswers({
  openapi: '3.1.0',
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string', format: 'uuid' }, note: { type: ['string', 'null'] } },
      },
      Failure: { type: 'object', properties: { statusCode: { type: 'integer' }, error: { type: 'array' } } },
    },
  },
  paths: {
    '/things/{id}': { get: { responses: { '200': answer({ $ref: '#/components/schemas/Thing' }) } } },
    '/refusals': {
      get: {
        responses: {
          '400': { ...answer({ $ref: '#/components/schemas/Failure' }), 'x-error-codes': ['CODE_1'] },
        },
      },
    },
    '/things/none': { get: { responses: { '200': answer({ type: 'null' }) } } },
    '/well-known/a.json': {
      post: { responses: { '201': answer({ type: 'array', items: { enum: ['a'] } }) } },
    },
  },
});

const ID = '0198c0de-0000-7000-8000-000000000000';
const seen = (overrides: Partial<SeenAnswer>): SeenAnswer => ({
  method: 'get',
  path: `/things/${ID}`,
  status: 200,
  body: { id: ID },
  ...overrides,
});

const refused = (overrides: object): Partial<SeenAnswer> => ({
  path: '/refusals',
  status: 400,
  body: { statusCode: 400, error: [{ errorCode: 'CODE_1' }], ...overrides },
});

describe('DocumentedAnswers', () => {
  it.each<[string, Partial<SeenAnswer>]>([
    ['a parameter', {}],
    ['a null where it may be', { body: { id: ID, note: null } }],
    ['a literal path before a parameter', { path: '/things/none', body: null }],
    ['a declared error code', refused({})],
    ['another method', { method: 'POST', path: '/well-known/a.json', status: 201, body: ['a'] }],
  ])('accepts %s', (_name, overrides) => {
    expect(() => documented.check(seen(overrides))).not.toThrow();
  });

  it.each<[string, Partial<SeenAnswer>, RegExp]>([
    ['an unknown path', { path: '/nothing' }, /no such path/],
    [
      'a dot that is another character',
      { method: 'post', path: '/well-known/aXjson', status: 201 },
      /no such path/,
    ],
    [
      'an undeclared error code',
      refused({ error: [{ errorCode: 'CODE_2' }] }),
      /undeclared error code CODE_2/,
    ],
    ['a refusal with another status in its body', refused({ statusCode: 401 }), /the body says 401/],
    ['an undeclared field of a refusal', refused({ more: 1 }), /must NOT have additional properties/],
    ['another status', { status: 404 }, /no such answer/],
    ['another method', { method: 'delete' }, /no such answer/],
    ['a missing field', { body: {} }, /required property 'id'/],
    ['a wrong type', { body: { id: 1 } }, /must be string/],
    ['a wrong format', { body: { id: 'x' } }, /must match format "uuid"/],
    [
      'a value that is not listed',
      { method: 'post', path: '/well-known/a.json', status: 201, body: ['b'] },
      /allowed values/,
    ],
  ])('refuses %s', (_name, overrides, message) => {
    expect(() => documented.check(seen(overrides))).toThrow(message);
  });
});
