import { expectedParams } from './journey.presenter.js';

const document = {
  paths: {
    '/thing': {
      post: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
      },
      get: {},
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['part'],
        properties: {
          part: { $ref: '#/components/schemas/Part' },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
        },
      },
      Part: { type: 'object', properties: { name: { type: 'string' } } },
      Loop: { $ref: '#/components/schemas/Loop' },
    },
  },
};
const part = { type: 'object', properties: { name: { type: 'string' } } };

describe('expectedParams', () => {
  it('returns the complete schema of the body', () => {
    expect(expectedParams(document, 'POST', '/thing')).toEqual({
      type: 'object',
      required: ['part'],
      properties: { part, parts: { type: 'array', items: part } },
    });
  });

  it.each([
    ['a call without a body', 'GET', '/thing'],
    ['a call that is not documented', 'POST', '/nothing'],
  ])('returns an empty object for %s', (_name, method, path) => {
    expect(expectedParams(document, method, path)).toEqual({ type: 'object', properties: {} });
  });

  it('throws for a recursive schema', () => {
    const looping = structuredClone(document);
    looping.paths['/thing'].post.requestBody.content['application/json'].schema.$ref =
      '#/components/schemas/Loop';
    expect(() => expectedParams(looping, 'POST', '/thing')).toThrow('refers to itself');
  });
});
