/** The parts of an OpenAPI 3.1 schema (JSON Schema 2020-12) from which requests are generated. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly example?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

/** One call that a document describes. */
export interface Operation {
  readonly method: string;
  readonly template: string;
  readonly parameters: readonly Parameter[];
  /** Of the body; undefined where there is none. */
  readonly body: Schema | undefined;
  readonly isPublic: boolean;
}

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly security?: readonly object[];
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** All calls of a document. */
export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, security = [] }]) => ({
      method,
      template,
      parameters,
      body: requestBody?.content['application/json']?.schema,
      // the key of a backend is no credential of the callers that are tried
      isPublic: security.every((scheme) => 'backendKey' in scheme),
    })),
  );
}

/** Resolves a reference in a document; returns any other schema unchanged. */
export function resolve(document: ApiDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.split('/').at(-1)!;
  const found = document.components?.schemas?.[name];
  if (!found) throw new Error(`the document has no schema ${name}`);
  // keywords beside a reference apply too
  const { $ref: _, ...beside } = schema;
  return { ...resolve(document, found), ...beside };
}

/** Names of the fields that an object has by its schema. */
export function propertiesOf(document: ApiDocument, schema: Schema): string[] {
  return Object.keys(resolve(document, schema).properties ?? {});
}
