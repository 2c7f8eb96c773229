import { bodySchemaOf, type OpenApi, takesIssuerCode } from './open-api.js';

const content = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } });

const DOCUMENT = {
  info: { title: 'API', version: '1.0.0' },
  paths: {
    '/auth/register': { post: content({ $ref: '#/components/schemas/Register' }) },
    '/issuer-apis/{issuer_slug}/v1/lead': {
      post: { ...content({ type: 'object' }), parameters: [{ name: 'issuer_slug', in: 'path' }] },
    },
    '/api/v1/bank': { post: { parameters: [{ name: 'issuer_code', in: 'query' }] } },
  },
  components: {
    schemas: {
      Register: {
        type: 'object',
        properties: { phone: { $ref: '#/components/schemas/Phone', example: '91' } },
      },
      Phone: { type: 'string', pattern: '^91' },
    },
  },
} as unknown as OpenApi;

describe('a call in the OpenAPI document', () => {
  it('returns the body of a call with all referenced schemas', () => {
    expect(bodySchemaOf(DOCUMENT, 'POST', '/auth/register')).toEqual({
      type: 'object',
      properties: { phone: { type: 'string', pattern: '^91', example: '91' } },
    });
  });

  it('finds a call by a path with values', () => {
    expect(bodySchemaOf(DOCUMENT, 'POST', '/issuer-apis/kaveri/v1/lead')).toEqual({ type: 'object' });
  });

  it.each([
    ['GET', '/auth/register'],
    ['POST', '/nowhere'],
    ['POST', '/issuer-apis/kaveri/v1/lead/more'],
    ['POST', '/api/v1/bank'],
  ])('finds no body for %s %s', (method, path) => {
    expect(bodySchemaOf(DOCUMENT, method, path)).toBeUndefined();
  });

  it('shows whether the call takes the issuer in the query', () => {
    expect(takesIssuerCode(DOCUMENT, 'POST', '/api/v1/bank')).toBe(true);
    expect(takesIssuerCode(DOCUMENT, 'POST', '/issuer-apis/kaveri/v1/lead')).toBe(false);
  });
});
