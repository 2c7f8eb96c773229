import { toUSVString } from 'node:util';
import fc, { type Arbitrary } from 'fast-check';
import {
  type ApiDocument,
  type Operation,
  type Parameter,
  propertiesOf,
  resolve,
  type Schema,
} from './api-operations.js';
import { JSON_TEXTS } from './json-texts.js';
import { NAUGHTY_STRINGS } from './naughty-strings.js';
import { type Pools, SchemaValues } from './schema-values.js';

/** A marker in values, keys and headers, which no refusal may repeat. */
export const MARKER = 'qzxMARKERxzq';

/** A request to send. */
export interface FuzzRequest {
  readonly operation: Operation;
  /** Path and query, encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Whether a required value is missing or has a type that cannot be converted. */
  readonly mustBeRefused: boolean;
  /** Whether the path matches the operation. */
  readonly isPathIntact: boolean;
}

const surprising: Arbitrary<unknown> = fc.oneof(
  { arbitrary: fc.constantFrom<unknown>(...NAUGHTY_STRINGS), weight: 6 },
  { arbitrary: fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, [], {}), weight: 3 },
  {
    arbitrary: fc.constantFrom<unknown>(MARKER, { [MARKER]: MARKER }, [MARKER], `${MARKER}\u0000`),
    weight: 3,
  },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 40 }), weight: 2 },
  { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 2 },
  { arbitrary: fc.constantFrom<unknown>('x'.repeat(50_000), '😀'.repeat(3_000)), weight: 1 },
  { arbitrary: fc.integer({ min: 2, max: 3_000 }).map(nested), weight: 1 },
  {
    arbitrary: fc.integer({ min: 20, max: 3_000 }).map((size) => new Array<number>(size).fill(1)),
    weight: 1,
  },
);

/** Names of internal fields, which no request has. */
const FOREIGN_FIELDS = [
  'user_id',
  'userId',
  'id',
  'is_verified',
  'is_pan_verified',
  'is_bank_verified',
  'is_ekyc_verified',
  'state',
  'status',
  'role',
  'partner_id',
  'session_id',
  'created_at',
  '__proto__',
  'constructor',
  'prototype',
  'toJSON',
  MARKER,
];

/** How a body breaks its schema. */
interface HostileBody {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly mustBeRefused: boolean;
}

/** Generates requests of a document: valid ones, ones with one fault, and malformed ones. */
export class HostileRequests {
  private readonly values: SchemaValues;

  constructor(
    private readonly document: ApiDocument,
    pools: Pools,
  ) {
    this.values = new SchemaValues(document, pools);
  }

  requestsFor(operation: Operation): Arbitrary<FuzzRequest> {
    return fc
      .tuple(
        this.target(operation),
        this.headers(),
        operation.body ? this.body(operation.body) : fc.constant(undefined),
      )
      .map(([{ target, isPathIntact }, headers, body]) => ({
        operation,
        target,
        isPathIntact,
        headers: { ...headers, ...body?.headers },
        body: body?.bytes,
        mustBeRefused: body?.mustBeRefused ?? false,
      }));
  }

  private target({ template, parameters }: Operation): Arbitrary<{ target: string; isPathIntact: boolean }> {
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    return fc
      .tuple(fc.tuple(...inPath.map((parameter) => this.segment(parameter))), this.query(inQuery))
      .map(([segments, query]) => ({
        target:
          inPath.reduce((path, { name }, i) => path.replace(`{${name}}`, () => segments[i]!), template) +
          query,
        isPathIntact: segments.every((segment) => /^[\w-]+$/.test(segment)),
      }));
  }

  private segment({ name, schema }: Parameter): Arbitrary<string> {
    const encoded = fc.constantFrom(...NAUGHTY_STRINGS, MARKER).map(segmentOf);
    return fc.oneof(
      { arbitrary: this.values.valuesOf(schema, name).map((value) => segmentOf(String(value))), weight: 6 },
      { arbitrary: encoded, weight: 2 },
      {
        arbitrary: fc.constantFrom('%00', '%', '%E0%A4%A', '%ff', '..%2f..', '%2e%2e', 'a;b=c', 'a%0d%0ab'),
        weight: 1,
      },
    );
  }

  private query(parameters: readonly Parameter[]): Arbitrary<string> {
    const known = parameters.map(({ name, schema }) =>
      fc.oneof(
        { arbitrary: this.values.valuesOf(schema, name).map((value) => [[name, value] as const]), weight: 4 },
        { arbitrary: fc.constant([]), weight: 3 },
        {
          arbitrary: fc.constantFrom(...NAUGHTY_STRINGS, MARKER).map((text) => [[name, text] as const]),
          weight: 2,
        },
        {
          arbitrary: fc
            .constantFrom('[]', '[a][b]', '[__proto__]', '[$ne]', '[0]')
            .map((tail) => [[name + tail, '1'] as const]),
          weight: 1,
        },
        {
          arbitrary: this.values.valuesOf(schema, name).map(
            (value) =>
              [
                [name, value],
                [name, value],
              ] as const,
          ),
          weight: 1,
        },
      ),
    );
    const unknown = fc.oneof(
      { arbitrary: fc.constant([]), weight: 8 },
      { arbitrary: fc.constantFrom(...FOREIGN_FIELDS).map((name) => [[name, MARKER] as const]), weight: 1 },
    );
    return fc
      .tuple(...known, unknown)
      .map((parts) => parts.flat() as (readonly [string, unknown])[])
      .map((pairs) =>
        pairs.map(([name, value]) => `${segmentOf(name)}=${segmentOf(String(value))}`).join('&'),
      )
      .map((query) => (query === '' ? '' : `?${query}`));
  }

  private headers(): Arbitrary<Record<string, string>> {
    const names = [
      'x-request-id',
      'idempotency-key',
      'x-forwarded-for',
      'user-agent',
      'accept',
      'origin',
      'if-none-match',
      'x-http-method-override',
      'cookie',
      'referer',
      'accept-encoding',
      MARKER,
    ];
    const hostile = fc
      .tuple(
        fc.constantFrom(...names),
        fc.constantFrom(...NAUGHTY_STRINGS, MARKER, 'x'.repeat(300), 'DELETE', '127.0.0.1'),
      )
      .map(([name, text]) => ({ [name]: headerOf(text) }));
    return fc.oneof({ arbitrary: fc.constant({}), weight: 5 }, { arbitrary: hostile, weight: 2 });
  }

  private body(schema: Schema): Arbitrary<HostileBody> {
    const proper = this.values.valuesOf(schema) as Arbitrary<Record<string, unknown>>;
    const named = propertiesOf(this.document, schema);
    const required = resolve(this.document, schema).required ?? [];
    const json = (value: unknown, mustBeRefused = false): HostileBody =>
      bodyOf(JSON.stringify(value), { mustBeRefused });
    const changed = fc.tuple(proper, fc.constantFrom(...named), surprising);
    const kinds = [
      { arbitrary: proper.map((value) => json(value)), weight: 5 },
      { arbitrary: changed.map(([value, name, other]) => json(changedIn(value, name, other))), weight: 8 },
      {
        arbitrary: fc
          .tuple(proper, surprising, fc.nat())
          .map(([value, other, at]) => json(replacedAt(value, other, at))),
        weight: 4,
      },
      {
        arbitrary: fc
          .tuple(proper, fc.constantFrom(...FOREIGN_FIELDS), surprising)
          .map(([value, name, other]) => json(changedIn(value, name, other))),
        weight: 3,
      },
      // the last of two equal keys counts
      { arbitrary: changed.map(([value, name, other]) => bodyOf(doubled(value, name, other))), weight: 1 },
      {
        arbitrary: fc
          .tuple(proper, fc.nat(400))
          .map(([value, cut]) => bodyOf(JSON.stringify(value).slice(0, cut))),
        weight: 1,
      },
      { arbitrary: surprising.map((value) => json(value ?? null)), weight: 1 },
      { arbitrary: fc.constantFrom(...JSON_TEXTS).map(({ bytes }) => bodyOf(bytes)), weight: 2 },
      { arbitrary: fc.uint8Array({ maxLength: 100 }).map((bytes) => bodyOf(Buffer.from(bytes))), weight: 1 },
      {
        arbitrary: fc
          .tuple(proper, fc.constantFrom(...MEDIA_TYPES))
          .map(([value, headers]) => bodyOf(JSON.stringify(value), { headers, mustBeRefused: true })),
        weight: 1,
      },
      ...(required.length === 0
        ? []
        : [
            {
              arbitrary: fc
                .tuple(proper, fc.constantFrom(...required))
                .map(([value, name]) => json(without(value, name), true)),
              weight: 3,
            },
            {
              arbitrary: fc
                .tuple(proper, fc.constantFrom(...required), fc.constantFrom({}, [], [MARKER], { a: 1 }))
                .map(([value, name, wrong]) => json(changedIn(value, name, wrong), true)),
              weight: 3,
            },
          ]),
    ];
    return fc.oneof(...kinds);
  }
}

/** Bodies that are declared as something else than JSON in UTF-8. */
const MEDIA_TYPES: readonly Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/json; charset=utf-7' },
  { 'content-type': 'application/json, text/plain' },
  { 'content-type': 'application/xml' },
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  { 'content-type': '' },
];

function bodyOf(
  text: string | Buffer,
  {
    headers = { 'content-type': 'application/json' },
    mustBeRefused = false,
  }: { headers?: Record<string, string>; mustBeRefused?: boolean } = {},
): HostileBody {
  return { bytes: Buffer.from(text), headers, mustBeRefused };
}

/** A copy with a field set, even if its name is one of Object.prototype. */
function changedIn(value: object, name: string, other: unknown): object {
  return Object.defineProperty({ ...value }, name, { value: other, enumerable: true, configurable: true });
}

function without(value: Readonly<Record<string, unknown>>, name: string): object {
  const { [name]: _, ...rest } = value;
  return rest;
}

function doubled(value: Readonly<Record<string, unknown>>, name: string, other: unknown): string {
  const first = JSON.stringify({ ...value, [name]: value[name] ?? null });
  return `${first.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(other ?? null)}}`;
}

/** A copy with one value of the tree replaced. */
function replacedAt(root: unknown, other: unknown, at: number): unknown {
  const places: [holder: Record<string, unknown>, key: string][] = [];
  const copy = structuredClone(root);
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key]);
      visit((node as Record<string, unknown>)[key]);
    }
  };
  visit(copy);
  const place = places[at % Math.max(1, places.length)];
  if (place) place[0][place[1]] = other;
  return copy;
}

/** Nested lists or objects. */
function nested(depth: number): unknown {
  let value: unknown = MARKER;
  for (let i = 0; i < depth; i++) value = depth % 2 ? [value] : { a: value };
  return value;
}

/** A lone surrogate cannot be encoded, and `.` and `..` would name another path. */
export const segmentOf = (text: string): string => encodeURIComponent(toUSVString(text)) || '%20';

/** The characters of a text that are valid in a header, cut to a safe length. */
export const headerOf = (text: string): string =>
  text
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .trim()
    .slice(0, 4_000);
