import type { Schema } from './schema.js';

type Node = Readonly<Record<string, unknown>>;

interface Operation {
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Node }>> };
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

/** An OpenAPI document, as far as it is read here. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Schemas of the services are not recursive; this limit ends a faulty search. */
const MAX_DEPTH = 20;

/** The path template of the document that matches a path: `/a/{id}/b` for `/a/x/b`. */
function patternOf(document: OpenApi, path: string): string | undefined {
  const parts = path.split('/');
  const isOne = (pattern: string): boolean => {
    const expected = pattern.split('/');
    return (
      expected.length === parts.length &&
      expected.every((part, at) => part.startsWith('{') || part === parts[at])
    );
  };
  return path in document.paths ? path : Object.keys(document.paths).find(isOne);
}

function operationOf(document: OpenApi, method: string, path: string): Operation | undefined {
  const pattern = patternOf(document, path);
  return pattern === undefined ? undefined : document.paths[pattern]?.[method.toLowerCase()];
}

/** The JSON Schema of a call's body, with all referenced schemas; undefined for a call without a body. */
export function bodySchemaOf(document: OpenApi, method: string, path: string): Schema | undefined {
  const operation = operationOf(document, method, path);
  const schema = operation?.requestBody?.content?.['application/json']?.schema;
  return schema && (resolved(schema, document, 0) as Schema);
}

/** Whether the query of a call contains the issuer of the journey. */
export function takesIssuerCode(document: OpenApi, method: string, path: string): boolean {
  const parameters = operationOf(document, method, path)?.parameters ?? [];
  return parameters.some(({ name, in: place }) => name === 'issuer_code' && place === 'query');
}

function resolved(node: unknown, document: OpenApi, depth: number): unknown {
  if (depth > MAX_DEPTH || typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((item) => resolved(item, document, depth + 1));
  const { $ref, ...rest } = node as Node;
  const own = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, resolved(value, document, depth + 1)]),
  );
  if (typeof $ref !== 'string') return own;
  return { ...(resolved(found(document, $ref), document, depth + 1) as Node), ...own };
}

function found(document: OpenApi, reference: string): unknown {
  const names = reference.replace(/^#\//, '').split('/');
  return names.reduce<unknown>((node, name) => (node as Node | undefined)?.[name], document);
}
