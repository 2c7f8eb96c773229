import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';

/** A call that a test made over HTTP, with its answer; `npm run docs:examples` records them. */
interface RecordedExchange {
  /** Such as `POST /auth/register`. */
  readonly call: string;
  readonly status: number;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly sent?: unknown;
  readonly answered: unknown;
}

type Refusal = RecordedExchange & { readonly code: string };

interface RecordedExamples {
  readonly successes: readonly RecordedExchange[];
  /** One for each error code. */
  readonly refusals: readonly Refusal[];
}

interface Content {
  examples?: Record<string, object>;
}

interface Operation {
  readonly parameters?: { name: string; in: string; example?: unknown; schema: { type?: unknown } }[];
  readonly requestBody?: { readonly content: Record<string, Content> };
  readonly responses: Record<string, { content?: Record<string, Content>; 'x-error-codes'?: string[] }>;
}

const JSON_TYPE = 'application/json';

/**
 * The document with the examples of FILE: a success of each call, and a refusal for each error code, with a link to its page
 * if there is a guide.
 */
export function withExamples(document: OpenAPIObject, file: string, guideUrl?: string): OpenAPIObject {
  const { successes, refusals } = JSON.parse(readFileSync(file, 'utf8')) as RecordedExamples;
  const copy = structuredClone(document);
  for (const exchange of successes) addSuccess(copy, exchange);
  addRefusals(copy, refusals, guideUrl);
  return copy;
}

function addSuccess(
  document: OpenAPIObject,
  { call, status, path, query, sent, answered }: RecordedExchange,
): void {
  const [method, template] = call.split(' ') as [string, string];
  const operation = document.paths[template]?.[method.toLowerCase() as 'get'] as Operation | undefined;
  if (!operation) return;
  const summary = `Recorded from a test: ${status}`;
  for (const parameter of operation.parameters ?? []) {
    const value = (parameter.in === 'path' ? path : query)[parameter.name];
    if (value !== undefined) parameter.example ??= typed(value, parameter.schema.type);
  }
  const request = operation.requestBody?.content[JSON_TYPE];
  if (request && sent !== undefined)
    request.examples = { ...request.examples, [status]: { summary, value: sent } };
  const response = operation.responses[status]?.content?.[JSON_TYPE];
  if (response) response.examples = { ...response.examples, [status]: { summary, value: answered } };
}

/** Recordings have query values as text. */
const typed = (value: string, type: unknown): unknown =>
  ['integer', 'number', 'boolean'].includes(type as string) ? (JSON.parse(value) as unknown) : value;

/** Each refusal is in the components once, and every response that may have its code refers to it. */
function addRefusals(document: OpenAPIObject, refusals: readonly Refusal[], guideUrl?: string): void {
  const examples = Object.fromEntries(refusals.map((one) => [one.code, exampleOf(one, guideUrl)]));
  document.components = { ...document.components, examples };
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[]);
  const responses = operations.flatMap((one) => Object.values(one.responses));
  for (const { content, 'x-error-codes': codes = [] } of responses) {
    const known = codes.filter((code) => code in examples);
    if (content?.[JSON_TYPE] && known.length > 0)
      content[JSON_TYPE].examples = Object.fromEntries(
        known.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
      );
  }
}

function exampleOf({ code, call, sent, answered }: Refusal, guideUrl?: string): object {
  const [item] = (answered as { error: readonly { error: string }[] }).error;
  const body = sent === undefined ? '' : ` with \`${JSON.stringify(sent)}\``;
  const page = guideUrl === undefined ? '' : `. [${code} in the guide](${guideUrl}/errors/${code})`;
  const description = `Recorded from a test: \`${call}\`${body}${page}`;
  return { summary: item!.error, description, value: answered };
}
