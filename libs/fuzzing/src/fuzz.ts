import fc, { type Arbitrary } from 'fast-check';
import { type ApiDocument, type Operation, operationsOf } from './api-operations.js';
import type { AnswerRules } from './answer-rules.js';
import type { Exchange, FuzzAnswer } from './exchange.js';
import { type FuzzRequest, HostileRequests } from './hostile-requests.js';
import type { Pools } from './schema-values.js';

/** Credentials of a request. */
export interface Credential {
  readonly name: string;
  /** Its relative frequency. */
  readonly weight: number;
  readonly isGood: boolean;
  /** Created for each request. */
  readonly headers: () => Readonly<Record<string, string>>;
}

export interface FuzzOptions {
  readonly document: ApiDocument;
  readonly rules: AnswerRules;
  readonly exchange: Exchange;
  readonly pools: Pools;
  readonly credentials: readonly Credential[];
  readonly requests: number;
  readonly seed: number;
  /** Called after each answer, with whether the credentials were valid. */
  readonly after?: (request: FuzzRequest, answer: FuzzAnswer, isGood: boolean) => Promise<void>;
  /** Operations with separate tests. */
  readonly without?: (operation: Operation) => boolean;
}

/** Number of each answer. */
export type Tally = Map<string, number>;

/**
 * Sends this many requests one after the other, equally often to each operation, and checks every answer by the rules.
 * @returns the number of answers by operation and status
 * @throws Error with the smallest request that breaks a rule, and the seed
 */
export async function fuzz(options: FuzzOptions): Promise<Tally> {
  const tally: Tally = new Map();
  await fc.assert(
    fc.asyncProperty(anyRequest(options), credentialOf(options), async (request, credential) => {
      const { method, template, isPublic } = request.operation;
      const answer = await answerOf(options, request, credential);
      const key = `${method} ${template} ${answer.status}`;
      tally.set(key, (tally.get(key) ?? 0) + 1);
      try {
        options.rules.check(request, answer, isPublic || credential.isGood);
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${answer.status} ${answer.text.slice(0, 2_000)}`, {
          cause: error,
        });
      }
      await options.after?.(request, answer, credential.isGood);
    }),
    { numRuns: options.requests, seed: options.seed, endOnFailure: false },
  );
  return tally;
}

function anyRequest({ document, pools, without = () => false }: FuzzOptions): Arbitrary<FuzzRequest> {
  const requests = new HostileRequests(document, pools);
  const operations = operationsOf(document).filter((operation) => !without(operation));
  return fc.oneof(...operations.map((operation) => requests.requestsFor(operation)));
}

function credentialOf({ credentials }: FuzzOptions): Arbitrary<Credential> {
  return fc.oneof(
    ...credentials.map((credential) => ({ arbitrary: fc.constant(credential), weight: credential.weight })),
  );
}

async function answerOf(
  { exchange }: FuzzOptions,
  { operation, target, headers, body }: FuzzRequest,
  credential: Credential,
): Promise<FuzzAnswer> {
  const answer = await exchange.send(operation.method, target, { ...headers, ...credential.headers() }, body);
  if (answer.status === 503) throw new Error(`answered 503: ${answer.text}`);
  return answer;
}
