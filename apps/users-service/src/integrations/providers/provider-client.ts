import { Injectable, Logger } from '@nestjs/common';
import { timeLimit } from '@fd/envelope';
import { ProviderError, type ProviderFailure } from '@fd/errors';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { z } from 'zod';
import { ProvidersConfig } from '../../config/index.js';
import {
  exchange,
  type HttpAnswer,
  type HttpCall,
  type KnownFailure,
  type ProviderEndpoint,
} from './http-exchange.js';
import { Resilience, RESILIENCE_LIMITS, type ResilienceLimits } from './resilience.js';

/** The answers that a call may get: by status, the shape of the body. Any other answer is a failure. */
type AnswerShapes = Readonly<Record<number, z.ZodType>>;

type AnswerOf<Shapes extends AnswerShapes> = {
  [Status in keyof Shapes]: { readonly status: Status; readonly body: z.output<Shapes[Status]> };
}[keyof Shapes];

interface ProviderCall<Operation extends string, Shapes extends AnswerShapes> extends Omit<
  HttpCall,
  'url' | 'credentials'
> {
  readonly operation: Operation;
  /** Starts with a slash; ids in it must be URL-encoded. */
  readonly path: string;
  /** Whether a second try is safe. Defaults to true for a call without a body, or with an idempotency key. */
  readonly isRepeatable?: boolean;
  readonly answers: Shapes;
}

type ContractDrift = Counter<'provider' | 'operation'>;

/** JSON client of one provider. An adapter names its operations first. */
export class ProviderClient<Operation extends string = never> {
  private readonly logger = new Logger(ProviderClient.name);

  constructor(
    readonly address: ProviderEndpoint,
    private readonly resilience: Resilience,
    private readonly duration: Histogram<'provider' | 'operation' | 'outcome'>,
    private readonly drift: ContractDrift,
  ) {}

  get name(): string {
    return this.address.name;
  }

  /** Returns the client for an adapter's operations, and starts the counts of their failures at zero, for the alerts. */
  forOperations<Own extends string>(...operations: Own[]): ProviderClient<Own> {
    const { name: provider } = this;
    for (const operation of operations) {
      this.duration.zero({ provider, operation, outcome: 'misconfigured' });
      this.drift.inc({ provider, operation }, 0);
    }
    return new ProviderClient<Own>(this.address, this.resilience, this.duration, this.drift);
  }

  /**
   * @returns one of the declared answers, checked against its shape
   * @throws ProviderError for everything else
   */
  async call<Shapes extends AnswerShapes>(call: ProviderCall<Operation, Shapes>): Promise<AnswerOf<Shapes>> {
    const { isRepeatable = !call.body || call.idempotencyKey !== undefined } = call;
    return this.resilience.run(isRepeatable, (signal) => this.attempt(call, signal));
  }

  /** The failure for an answer of the declared shape that contradicts itself or the request. */
  malformed(operation: Operation, detail: string): ProviderError {
    this.note({ provider: this.name, operation }, 'malformed', detail);
    return this.failed('malformed', detail);
  }

  /** The failure for an answer that its shape allows, and that refuses our request or shows another cause. */
  failed(failure: ProviderFailure, detail: string): ProviderError {
    return new ProviderError(this.name, failure, { detail });
  }

  /** Opens the circuit as after a refused key: the answer to another call shows that the provider refuses us. */
  async openCircuit(operation: Operation, detail: string): Promise<void> {
    const refused = (): Promise<never> => Promise.reject(this.failed('misconfigured', detail));
    await this.resilience.run(false, () => this.timed(operation, refused)).catch(() => undefined);
  }

  private attempt<Shapes extends AnswerShapes>(
    call: ProviderCall<Operation, Shapes>,
    signal: AbortSignal,
  ): Promise<AnswerOf<Shapes>> {
    const { name, baseUrl, credentials } = this.address;
    return this.timed(call.operation, async () =>
      this.understand(
        call.answers,
        await exchange(name, { ...call, url: `${baseUrl}${call.path}`, credentials }, signal),
      ),
    );
  }

  private async timed<Answer extends { readonly status: unknown }>(
    operation: Operation,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    const labels = { provider: this.name, operation };
    const end = this.duration.startTimer(labels);
    try {
      const answer = await work();
      end({ outcome: String(answer.status) });
      return answer;
    } catch (error) {
      const failure = error instanceof ProviderError ? error.failure : 'defect';
      end({ outcome: failure });
      this.note(labels, failure, (error as Error).message);
      throw error;
    }
  }

  private note(
    labels: { readonly provider: string; readonly operation: string },
    failure: ProviderFailure | 'defect',
    reason: string,
  ): void {
    if (failure === 'malformed') this.drift.inc(labels);
    this.logger.warn({ msg: 'a provider failed', ...labels, failure, reason });
  }

  private understand<Shapes extends AnswerShapes>(shapes: Shapes, answer: HttpAnswer): AnswerOf<Shapes> {
    const { status, body } = answer;
    const parsed = shapes[status]?.safeParse(body);
    if (parsed?.success) return { status, body: parsed.data } as AnswerOf<Shapes>;
    const known = this.address.failureIn?.(answer);
    if (known) throw statusError(this.name, answer, known, `status ${status}: ${known.code}`);
    // a call may declare one body for 401 or 403; any other body refuses our credentials
    const isRefusal = status === 401 || status === 403;
    if (!parsed || isRefusal) throw statusError(this.name, answer);
    throw this.failed('malformed', `status ${status}: ${pathsOf(parsed.error)}`);
  }
}

/** The first fields that differ from a shape; of several shapes, from the nearest one. The values may be personal data. */
export function pathsOf({ issues }: Pick<z.ZodError, 'issues'>): string {
  return issues
    .flatMap(nearest)
    .map(({ path }) => path.join('.') || 'body')
    .slice(0, 5)
    .join(', ');
}

function nearest(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const shapes = issue.errors.map((inside) => inside.flatMap(nearest));
  const [first] = shapes.sort((one, other) => one.length - other.length);
  return first!.map((inside) => ({ ...inside, path: [...issue.path, ...inside.path] }));
}

export function failureOf(status: number): ProviderFailure {
  if (status === 401 || status === 403) return 'misconfigured';
  // refused now, another provider may be asked (RFC 9110 and 6585)
  if (status === 429 || status === 503) return 'unavailable';
  // the outcome is unknown: the request failed on its way, or behind a gateway
  if (status === 408 || status >= 500) return 'timeout';
  return status < 400 ? 'malformed' : 'refused';
}

/** The failure for an answer of an unexpected status. @param known what its body says, if more than the status */
function statusError(
  provider: string,
  { status, retryAfterMs }: HttpAnswer,
  known: Partial<KnownFailure> = {},
  detail = `status ${status}`,
): ProviderError {
  const failure = known.failure ?? failureOf(status);
  const isThrottled = status === 429 && failure === 'unavailable';
  const reason = isThrottled ? 'throttled' : known.reason;
  return new ProviderError(provider, failure, { detail, reason, retryAfterMs });
}

const ASK_LIMIT_MS = timeLimit(8_000);

/**
 * Makes one call without a client, and returns the body of a success in its shape.
 * @throws ProviderError for every other answer, also for an error with the status of a success
 */
export async function ask<Shape extends z.ZodType>(
  { name, credentials, failureIn }: ProviderEndpoint,
  { shape, ...call }: Omit<HttpCall, 'credentials'> & { readonly shape: Shape },
  signal = AbortSignal.timeout(ASK_LIMIT_MS),
): Promise<z.output<Shape>> {
  const answer = await exchange(name, { ...call, credentials }, signal);
  const { status, body } = answer;
  const known = failureIn?.(answer);
  if (known) throw statusError(name, answer, known, `status ${status}: ${known.code}`);
  if (status < 200 || status > 299) throw statusError(name, answer);
  const read = shape.safeParse(body);
  if (read.success) return read.data;
  throw new ProviderError(name, 'malformed', { detail: `status ${status}: ${pathsOf(read.error)}` });
}

/** Creates clients of providers. Clients of one provider share its circuit breaker and limits. */
@Injectable()
export class ProviderClients {
  /** Also used by adapters without a client. */
  readonly drift: ContractDrift;
  private readonly byName = new Map<string, Resilience>();
  private readonly duration: Histogram<'provider' | 'operation' | 'outcome'>;

  constructor(
    private readonly config: ProvidersConfig,
    registry: Registry,
  ) {
    this.duration = new Histogram({
      name: 'provider_call_duration_seconds',
      help: 'Attempts of calls to providers and issuers, by status or kind of failure',
      labelNames: ['provider', 'operation', 'outcome'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15],
      registers: [registry],
    });
    this.drift = new Counter({
      name: 'provider_contract_drift_total',
      help: 'Answers of providers and issuers that differ from their contract in the adapter',
      labelNames: ['provider', 'operation'],
      registers: [registry],
    });
    const { byName } = this;
    new Gauge({
      name: 'provider_circuit_open',
      help: '1 while calls to a provider are suspended because it fails',
      labelNames: ['provider'],
      registers: [registry],
      collect() {
        for (const [provider, resilience] of byName) this.set({ provider }, resilience.isOpen ? 1 : 0);
      },
    });
  }

  /** @param timeoutMs of one try outside of requests, for slow calls; within a request the deadline applies too */
  at(endpoint: ProviderEndpoint, timeoutMs = this.config.timeoutMs): ProviderClient {
    const resilience = this.resilienceOf(endpoint.name, timeoutMs);
    return new ProviderClient(endpoint, resilience, this.duration, this.drift);
  }

  /** Also for adapters without a client. @param own limits that differ from those of other providers */
  resilienceOf(name: string, timeoutMs: number, own: Partial<ResilienceLimits> = {}): Resilience {
    const known = this.byName.get(name);
    if (known) return known;
    const { maxCalls } = this.config;
    // the queue is as long as the number of parallel calls, so that a call waits at most for one other
    const limits = { ...RESILIENCE_LIMITS, maxRunning: maxCalls, maxWaiting: maxCalls, ...own };
    const resilience = new Resilience(name, timeoutMs, limits);
    this.byName.set(name, resilience);
    return resilience;
  }
}
