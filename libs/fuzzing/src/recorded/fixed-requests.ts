import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { type ApiDocument, operationsOf } from '../api-operations.js';
import { HostileRequests } from '../hostile-requests.js';
import { JSON_TEXTS } from '../json-texts.js';
import { NAUGHTY_STRINGS } from '../naughty-strings.js';
import { parameterRequests } from '../parameter-requests.js';
import type { Pools } from '../schema-values.js';
import type { RecordedCall } from './recorded-calls.js';

/** A request that is the same in every run. */
export interface NamedRequest extends RecordedCall {
  readonly name: string;
  /** Method and path template; requests of one operation are sent one after the other. */
  readonly operation: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** All JSON texts as the body of a POST. */
export const jsonTextRequests = (target: string): NamedRequest[] =>
  JSON_TEXTS.map(({ name, bytes }) => ({
    name: `POST ${target} ${name}`,
    operation: `post ${target}`,
    method: 'POST',
    target,
    headers: JSON_TYPE,
    body: bytes,
  }));

/** All naughty texts in a field of a POST. */
export const naughtyFieldRequests = (target: string, bodyWith: (text: string) => object): NamedRequest[] =>
  NAUGHTY_STRINGS.map((text) => ({
    name: `POST ${target} ${nameOf(text)}`,
    operation: `post ${target}`,
    method: 'POST',
    target,
    body: bodyWith(text),
  }));

/** Naughty texts as parameters of all calls: one in EVERY of all pairs, whatever else is in the document. */
export function naughtyParameterRequests(
  document: ApiDocument,
  fillers: Readonly<Record<string, string>>,
  every: number,
): NamedRequest[] {
  return operationsOf(document).flatMap((operation) => {
    const called = `${operation.method} ${operation.template}`;
    return NAUGHTY_STRINGS.flatMap((text) =>
      parameterRequests(operation, text, fillers).map(({ parameter, target, headers, body }) => ({
        name: `${called} ${parameter} ${nameOf(text)}`,
        operation: called,
        method: operation.method,
        target,
        headers,
        ...(body ? { body } : {}),
      })),
    ).filter(({ name }) => hashOf(name) % every === 0);
  });
}

/** The beginning of a text and its hash. */
const nameOf = (text: string): string => `${JSON.stringify(text.slice(0, 16))} ${hashOf(text).toString(36)}`;

const hashOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE();

const SEED = 20_261;
const LARGEST_BODY = 2_000;

/**
 * Writes hostile requests to each operation of a document. They are kept, since a change of the document or of the generator would
 * change them.
 */
export function writeHostileRequests(
  file: string,
  document: ApiDocument,
  pools: Pools,
  eachOperation: number,
): void {
  const hostile = new HostileRequests(document, pools);
  const lines = operationsOf(document).flatMap((operation) =>
    fc
      .sample(hostile.requestsFor(operation), { seed: SEED, numRuns: eachOperation })
      .filter(({ body, target }) => (body?.length ?? 0) + target.length < LARGEST_BODY)
      .map(({ target, headers, body }, nth) => {
        const text = body?.toString();
        const isText = body === undefined || Buffer.from(text!).equals(body);
        const called = `${operation.method} ${operation.template}`;
        return JSON.stringify({
          name: `${called} ${nth}`,
          operation: called,
          method: operation.method,
          target,
          headers,
          ...(isText ? { text } : { base64: body.toString('base64') }),
        });
      }),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
}

type StoredRequest = Omit<NamedRequest, 'body'> & { readonly text?: string; readonly base64?: string };

export const readHostileRequests = (file: string): NamedRequest[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { text, base64, ...request } = JSON.parse(line) as StoredRequest;
      const body = base64 === undefined ? text && Buffer.from(text) : Buffer.from(base64, 'base64');
      return { ...request, ...(body ? { body } : {}) };
    });
