import type { OpenAPIObject } from '@nestjs/swagger';
import { toOpenApi31 } from './openapi-31.js';

const converted = (schema: object) =>
  (
    toOpenApi31({ schemas: { schema } } as unknown as OpenAPIObject) as unknown as {
      schemas: { schema: object };
    }
  ).schemas.schema;

describe('toOpenApi31', () => {
  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [{ type: 'string', nullable: false }, { type: 'string' }],
    [
      { type: 'string', enum: ['A'], nullable: true },
      { anyOf: [{ type: 'string', enum: ['A'] }, { type: 'null' }] },
    ],
    [
      { nullable: true, allOf: [{ $ref: '#/x' }] },
      { anyOf: [{ allOf: [{ $ref: '#/x' }] }, { type: 'null' }] },
    ],
    [
      { type: 'object', properties: { a: { type: 'integer', nullable: true } } },
      { type: 'object', properties: { a: { type: ['integer', 'null'] } } },
    ],
  ])('%j', (schema, expected) => {
    expect(converted(schema)).toEqual(expected);
  });
});
