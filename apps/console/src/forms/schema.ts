/** A JSON Schema (2020-12), as far as a form is made of it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly allOf?: readonly Schema[];
  readonly contains?: Schema;
}

export type Body = Readonly<Record<string, unknown>>;

/** Kind of input for a field. `consent`: a flag that must be true. `json`: for values without a simple input. */
type FieldKind = 'text' | 'number' | 'flag' | 'consent' | 'choice' | 'group' | 'declarations' | 'json';

export interface Field {
  readonly name: string;
  /** Names from the body down to the field. */
  readonly path: readonly string[];
  readonly title: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  /** Of a choice. */
  readonly choices: readonly string[];
  /** Of a group. */
  readonly fields: readonly Field[];
  /** Required items of a list of declarations. */
  readonly declarations: readonly Declaration[];
}

/** A statement that the person accepts, with the item of the list that says so. */
export interface Declaration {
  readonly text: string;
  readonly accepted: Body;
}

/** The insights call refuses a missing field with its own error, so its schema cannot mark the field as required; only its description does. */
const SAYS_REQUIRED = /^Required\.\s*/;

/** The service refuses false with the error of each consent, so only the description says that it must be true. */
const SAYS_TRUE = /^Must be true\b/;

/** The fields of an object, in the order of the schema. */
export function fieldsOf(schema: Schema, above: readonly string[] = []): readonly Field[] {
  return Object.entries(schema.properties ?? {}).map(([name, part]) => {
    const path = [...above, name];
    const kind = kindOf(part);
    return {
      name,
      path,
      kind,
      title: part.title ?? name,
      isRequired: (schema.required?.includes(name) ?? false) || SAYS_REQUIRED.test(part.description ?? ''),
      description: part.description?.replace(SAYS_REQUIRED, '') || undefined,
      choices: kind === 'choice' ? part.enum!.filter((choice) => choice !== null).map(String) : [],
      fields: kind === 'group' ? fieldsOf(part, path) : [],
      declarations: declarationsOf(part),
    };
  });
}

/** The statements that a list must contain; none for other lists. */
const declarationsOf = ({ allOf = [] }: Schema): readonly Declaration[] =>
  allOf.flatMap(({ contains }) =>
    contains?.description === undefined
      ? []
      : [{ text: contains.description, accepted: sampleOf(contains) as Body }],
  );

/** The type of a value that is not null. */
const typeOf = ({ type }: Schema): string | undefined =>
  typeof type === 'string' ? type : type?.find((one) => one !== 'null');

function kindOf(schema: Schema): FieldKind {
  const type = typeOf(schema);
  if (schema.enum && type !== 'array') return 'choice';
  if (type === 'boolean') return SAYS_TRUE.test(schema.description ?? '') ? 'consent' : 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'object' && schema.properties) return 'group';
  if (type === 'array' && declarationsOf(schema).length > 0) return 'declarations';
  return type === 'string' ? 'text' : 'json';
}

/** A value that the schema probably accepts: its own example or constant, else the simplest of its type. */
export function sampleOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  const named = schema.example ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0];
  if (named !== undefined) return named;
  const type = typeOf(schema) ?? 'string';
  return SIMPLEST[type]?.(schema) ?? '';
}

/** The simplest value of each type: it gives no consent and accepts no declaration. */
const SIMPLEST: Readonly<Record<string, (schema: Schema) => unknown>> = {
  boolean: () => false,
  integer: () => 1,
  number: () => 1,
  array: () => [],
  object: (schema) => requiredOf(schema, {}),
};

/**
 * An object with everything that the schema requires, without any consent or declaration: those are the person's.
 * @param known values by the name of the field, at any depth
 */
export function requiredOf(schema: Schema, known: Body): Body {
  const names = schema.required ?? [];
  return Object.fromEntries(
    names.map((name) => {
      const part = schema.properties?.[name] ?? {};
      if (name in known) return [name, known[name]];
      return [name, kindOf(part) === 'group' ? requiredOf(part, known) : sampleOf(part)];
    }),
  );
}

/** The inputs of a form, without the groups around them. */
const inputsOf = (fields: readonly Field[]): readonly Field[] =>
  fields.flatMap((field) => (field.kind === 'group' ? inputsOf(field.fields) : [field]));

/** The consents and declarations that a call requires. */
export const agreementsOf = (schema: Schema | undefined): readonly Field[] =>
  inputsOf(fieldsOf(schema ?? {})).filter(
    ({ kind, isRequired }) => isRequired && (kind === 'consent' || kind === 'declarations'),
  );

/** Returns a body with all required consents and declarations, in the person's place. */
export const agreed = (schema: Schema | undefined, body: Body): Body =>
  agreementsOf(schema).reduce(
    (given, { path, kind, declarations }) =>
      withValue(given, path, kind === 'consent' ? true : declarations.map(({ accepted }) => accepted)),
    body,
  );

/** Returns a body with the consents and declarations that another body of the same call gives. */
export const agreedAsIn = (schema: Schema | undefined, body: Body, other: Body): Body =>
  agreementsOf(schema).reduce((given, { path }) => {
    const value = valueAt(other, path);
    return value === true || Array.isArray(value) ? withValue(given, path, value) : given;
  }, body);

const startsWith = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((name, index) => path[index] === name);

/**
 * Returns the input of a refused field: its own, that of the list which contains it, or the first of the group which it is;
 * undefined if the form has none.
 * @param refused as a refusal names it: `dob`, `communication_address.city`, `declarations.FATCA`, `nominees[1].name`
 */
export function inputFor(fields: readonly Field[], refused: string): Field | undefined {
  const names = refused.split(/[.[\]]+/).filter((name) => name !== '');
  const inputs = inputsOf(fields);
  return (
    inputs.find(({ path }) => startsWith(names, path)) ??
    inputs.find(({ path }) => startsWith(path, names)) ??
    inputs.find(({ name }) => name === names.at(-1))
  );
}

export function valueAt(body: Body, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, name) => (node as Body | undefined)?.[name], body);
}

/** Returns the body with another value at a path; undefined removes the field. */
export function withValue(body: Body, path: readonly string[], value: unknown): Body {
  const [name, ...rest] = path as [string, ...string[]];
  if (rest.length > 0) return { ...body, [name]: withValue((body[name] ?? {}) as Body, rest, value) };
  const { [name]: _before, ...others } = body;
  return value === undefined ? others : { ...body, [name]: value };
}

/** A field's typed value to send. Text in a number field is sent unchanged, since it may be intended. */
export function typedValue({ kind, isRequired }: Field, text: string): unknown {
  if (text === '' && !isRequired) return undefined;
  if (kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (kind === 'flag' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
