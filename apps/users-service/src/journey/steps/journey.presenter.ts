import { Injectable } from '@nestjs/common';
import type { InsightEventName, JourneyPayload, JourneyStepView } from '@fd/contracts';
import { ApiDocument } from '@fd/platform';
import type { Issuer } from '../../config/index.js';
import { type Journey, type JourneyStep, type Step, STEP_RULES } from './journey.table.js';

@Injectable()
export class JourneyPresenter {
  private readonly schemas = new Map<Step, (issuer: Issuer) => object>();

  constructor(private readonly document: ApiDocument) {}

  /** Sets the JSON Schema of a step whose fields differ between issuers; the feature of the step calls it. */
  setExpectedParams(step: Step, schemaOf: (issuer: Issuer) => object): void {
    this.schemas.set(step, schemaOf);
  }

  /** @param listsEvents whether calls that accept any event list all events, or only those that complete a step */
  present(
    issuer: Issuer,
    { steps, nextStep, percentComplete }: Journey,
    { listsEvents }: { listsEvents: boolean },
  ): JourneyPayload {
    return {
      issuer_code: issuer.code,
      steps: steps.map((step) => this.presentStep(issuer, step, listsEvents)),
      next_step: nextStep,
      percent_complete: percentComplete,
    };
  }

  private presentStep(
    issuer: Issuer,
    { step, status, reason }: JourneyStep,
    listsEvents: boolean,
  ): JourneyStepView {
    const { api, apiInProgress, doneByEvents } = STEP_RULES[step];
    const { method, path } = (status === 'IN_PROGRESS' ? apiInProgress : undefined) ?? api;
    const params = this.schemas.get(step)?.(issuer) ?? expectedParams(this.document.get(), method, path);
    return {
      step,
      status,
      reason,
      api: { method, path: path.replace('{issuer_slug}', issuer.slug) },
      expected_params: doneByEvents && !listsEvents ? oneEventOf(doneByEvents, params) : params,
      ...(step === 'EKYC' && { ekyc_methods: [issuer.ekyc_method] }),
    };
  }
}

/** A part of a JSON Schema or of an OpenAPI document. */
type Node = Record<string, unknown>;

interface Operation {
  readonly requestBody?: { readonly content?: Record<string, { readonly schema?: Node }> };
}

const NOTHING = { type: 'object', properties: {} };

/** Our schemas are not recursive; this bounds the search in case of a defect. */
const MAX_DEPTH = 20;

/**
 * Returns the JSON Schema of a call's body, without references; for a call without a body, of an empty object.
 * @param document the OpenAPI document
 * @throws Error if a schema refers to itself
 */
export function expectedParams(document: object, method: string, path: string): object {
  const paths = (document as { paths: Record<string, Record<string, Operation> | undefined> }).paths;
  const schema = paths[path]?.[method.toLowerCase()]?.requestBody?.content?.['application/json']?.schema;
  return schema ? (resolve(schema, document, 0) as object) : NOTHING;
}

/** Narrows the schema of a body with one or several events to one event with one of NAMES. */
function oneEventOf(names: readonly InsightEventName[], schema: object): object {
  const { events: _, event_name, ...others } = (schema as { properties: Node }).properties;
  const name = { ...(event_name as Node), enum: names, example: names[0] };
  return { ...schema, properties: { ...others, event_name: name } };
}

function resolve(node: unknown, document: object, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new Error('a schema refers to itself');
  if (Array.isArray(node)) return node.map((item) => resolve(item, document, depth + 1));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, ...rest } = node as Node;
  const own = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, resolve(value, document, depth + 1)]),
  );
  if (typeof $ref !== 'string') return own;
  return { ...(resolve(find(document, $ref), document, depth + 1) as Node), ...own };
}

function find(document: object, reference: string): unknown {
  const keys = reference.replace(/^#\//, '').split('/');
  return keys.reduce<unknown>((node, key) => (node as Node)[key], document);
}
