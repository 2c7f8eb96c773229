import type { OpenAPIObject } from '@nestjs/swagger';

/**
 * Rewrites what the generator still writes in the manner of OpenAPI 3.0: `nullable` is a type of its own in 3.1,
 * whose schemas are JSON Schema 2020-12.
 */
export function toOpenApi31(document: OpenAPIObject): OpenAPIObject {
  return rewrite(document) as OpenAPIObject;
}

function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = node as Record<string, unknown>;
  const copy = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, rewrite(value)]));
  if (nullable !== true) return nullable === undefined || nullable === false ? copy : { ...copy, nullable };
  if (typeof copy['type'] === 'string' && !Array.isArray(copy['enum']))
    return { ...copy, type: [copy['type'], 'null'] };
  return { anyOf: [copy, { type: 'null' }] };
}
