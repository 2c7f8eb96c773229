import fc, { type Arbitrary } from 'fast-check';
import { type ApiDocument, resolve, type Schema } from './api-operations.js';

/** Values with a meaning for the service by field name: issuers, existing ids, codes. */
export type Pools = Readonly<Record<string, readonly string[]>>;

const FORMATS: Readonly<Record<string, Arbitrary<string>>> = {
  uuid: fc.uuid(),
  date: fc
    .date({ min: new Date('1930-01-01'), max: new Date('2020-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  'date-time': fc
    .date({ min: new Date('2024-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  email: fc.stringMatching(/^[a-z]{3,12}\.[0-9]{6}@mail\.example$/),
  uri: fc.constantFrom('https://app.partner.example', 'https://app.partner.example/back?a=1'),
};

const MAX_DEPTH = 4;

/** Generates values that a schema of a document allows. */
export class SchemaValues {
  constructor(
    private readonly document: ApiDocument,
    private readonly pools: Pools,
  ) {}

  /** @param name of the field that the value is for */
  valuesOf(unresolved: Schema, name = '', depth = 0): Arbitrary<unknown> {
    const schema = resolve(this.document, unresolved);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.oneOf ?? (schema.properties ? undefined : schema.anyOf);
    if (choices) return fc.oneof(...choices.map((choice) => this.valuesOf(choice, name, depth)));
    const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['object']);
    return fc.oneof(...types.map((type) => this.ofType(type, schema, name, depth)));
  }

  private ofType(type: string, schema: Schema, name: string, depth: number): Arbitrary<unknown> {
    switch (type) {
      case 'string':
        return this.text(schema, name);
      case 'integer':
        return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 10_000 });
      case 'number':
        return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 100_000 });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return this.list(schema, name, depth);
      case 'object':
        return this.object(schema, depth);
      default:
        throw new Error(`no values of type ${type}`);
    }
  }

  private text({ pattern, format, example, minLength = 0, maxLength = 60 }: Schema, name: string) {
    const byRule = pattern
      ? fc.stringMatching(new RegExp(pattern))
      : (FORMATS[format ?? ''] ??
        fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 60) }));
    const known = [...(this.pools[name] ?? []), ...(typeof example === 'string' ? [example] : [])];
    return known.length === 0
      ? byRule
      : fc.oneof({ arbitrary: fc.constantFrom(...known), weight: 3 }, { arbitrary: byRule, weight: 1 });
  }

  private list({ items = {}, minItems = 0, maxItems = 3 }: Schema, name: string, depth: number) {
    if (depth >= MAX_DEPTH) return fc.constant([]);
    return fc.array(this.valuesOf(items, name, depth + 1), {
      minLength: minItems,
      maxLength: Math.min(maxItems, 3),
    });
  }

  private object({ properties = {}, required = [], additionalProperties }: Schema, depth: number) {
    if (depth >= MAX_DEPTH) return fc.constant({});
    const fields = fc.record(
      Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => [name, this.valuesOf(schema, name, depth + 1)]),
      ),
      { requiredKeys: required.filter((name) => name in properties) },
    );
    if (!additionalProperties) return fields;
    const others =
      additionalProperties === true ? fc.jsonValue({ maxDepth: 1 }) : this.valuesOf(additionalProperties);
    return fc
      .tuple(fields, fc.dictionary(fc.stringMatching(/^[a-z_]{1,12}$/), others, { maxKeys: 4 }))
      .map(([known, more]) => ({ ...more, ...known }));
  }
}
